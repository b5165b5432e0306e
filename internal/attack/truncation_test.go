package attack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hollow writes a file of weights with a quarter of a gigabyte of zeros, which need no
// room on the disk.
func hollow(path string) error {
	const elements = 24 << 20
	header := fmt.Sprintf(`{"w":{"dtype":"F32","shape":[%d],"data_offsets":[0,%d]}}`, elements, 4*elements)
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	return errors.Join(os.WriteFile(path, file, 0o600), os.Truncate(path, int64(len(file)+4*elements)))
}

// shortened are commands that read a file for a while.
var shortened = []string{
	"image generate --model images --sampling-steps 1 -o out",
	"weights inspect big.safetensors", "weights convert big.safetensors small.safetensors --dtype f16", "weights inspect big.safetensors --json",
}

// TestTruncation shortens files while they are read: that is an error or goes unnoticed.
func TestTruncation(t *testing.T) {
	dir := workplace(t)
	placeImages(t, dir)
	inTime := 0
	start, n := time.Now(), 0
	for ; goOn(start, n, 3*len(shortened)); n++ {
		r, line := Generator(*seed, uint64(n)), shortened[n%len(shortened)]
		path := filepath.Join(dir, "big.safetensors")
		if strings.HasPrefix(line, "image") {
			path = filepath.Join(dir, "images", "unet", "diffusion_pytorch_model.safetensors")
		} else if err := hollow(path); err != nil {
			t.Fatal(err)
		}
		whole, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		length, after := r.Int64N(whole.Size()), 40*time.Millisecond+time.Duration(r.Int64N(int64(200*time.Millisecond)))
		timer := time.AfterFunc(after, func() { _ = os.Truncate(path, length) })
		wrong, _ := execute(t, dir, time.Minute, strings.Fields(line)...)
		timer.Stop()
		if wrong != "" {
			t.Errorf("seed %d, case %d: pcd %s, whose file has %d bytes after %v: %s", *seed, n, line, length, after, wrong)
		}
		if now, err := os.Stat(path); err == nil && now.Size() < whole.Size() {
			inTime++
		}
		placeImages(t, dir)
	}
	t.Logf("%d files, %d shortened in time", n, inTime)
}
