package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
)

// record writes observations as a recording.
func record(t testing.TB, all []Observation) string {
	t.Helper()
	dir, list := t.TempDir(), ""
	for i, o := range all {
		line := map[string]any{}
		for key, v := range o.Vectors {
			line[key] = v
		}
		for key, m := range o.Images {
			name := fmt.Sprintf("%s.%d.png", key, i)
			rgba := image.NewNRGBA(image.Rect(0, 0, m.Width, m.Height))
			for at := range m.Height * m.Width {
				rgba.Set(at%m.Width, at/m.Width, color.NRGBA{m.Pix[3*at], m.Pix[3*at+1], m.Pix[3*at+2], 255})
			}
			f, err := os.Create(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(png.Encode(f, rgba), f.Close()); err != nil {
				t.Fatal(err)
			}
			line[key] = name
		}
		raw, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		list += string(raw) + "\n"
	}
	hostile{t, dir}.write(observationsFile, []byte(list))
	return dir
}

// TestRecordings reads back what was written, pictures byte by byte.
func TestRecordings(t *testing.T) {
	want := observations(t, golden.OpenPolicy(t, goldenFolder, "c_cam2"), "in.")
	r, err := OpenRecording(record(t, want), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range want {
		got, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		for key, v := range o.Vectors {
			if !slices.Equal(got.Vectors[key], v) {
				t.Errorf("%s is %v, want %v", key, got.Vectors[key], v)
			}
		}
		for key, m := range o.Images {
			if g := got.Images[key]; g.Height != m.Height || g.Width != m.Width || !slices.Equal(g.Pix, m.Pix) {
				t.Errorf("the picture %s comes back with %d×%d pixels or other bytes", key, g.Width, g.Height)
			}
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last observation: %v, want io.EOF", err)
	}
}

// FuzzRecording wants a typed error for every list that is none.
func FuzzRecording(f *testing.F) {
	for _, s := range []string{`{"observation.state":[1,2]}`, `{"a":"../x.png"}`, `{"a":"missing.png"}`, `{"a":{}}`, `[]`, `{"a":"observations.jsonl"}`, `{`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		dir := t.TempDir()
		hostile{t, dir}.write(observationsFile, raw)
		r, err := OpenRecording(dir, nil)
		for err == nil {
			_, err = r.Next()
		}
		var e *RecordingError
		if !errors.Is(err, io.EOF) && !errors.As(err, &e) {
			t.Fatalf("%v (%T)", err, err)
		}
	})
}

// TestInspect describes folders without reading weights, and counts what Open counts.
func TestInspect(t *testing.T) {
	for _, name := range []string{"a_env", "b_env", "c_env"} {
		d, err := Inspect(filepath.Join(goldenFolder, name))
		if err != nil {
			t.Fatal(err)
		}
		p := open(t, filepath.Join(goldenFolder, name), Options{})
		if d.Parameters != p.Shape().Parameters || d.UNet != p.Shape().UNet || !IsFolder(d.Path) {
			t.Errorf("%s: described with %d parameters, opened with %d", name, d.Parameters, p.Shape().Parameters)
		}
	}
	if IsFolder(goldenFolder) || IsFolder("load.go") {
		t.Error("what is no folder of a policy is taken for one")
	}
	var e *FileError
	if _, err := Inspect(t.TempDir()); !errors.As(err, &e) {
		t.Errorf("an empty folder: %v, want a *FileError", err)
	}
}

// TestHalfPrecision opens a policy with rounded weights: half the bytes, nearly the same plan.
func TestHalfPrecision(t *testing.T) {
	dir := filepath.Join(goldenFolder, "c_env")
	history := observations(t, golden.OpenPolicy(t, goldenFolder, "c_env"), "in.")
	var actions [2][]float32
	var bytes [2]int64
	for i, half := range []bool{false, true} {
		p := open(t, dir, Options{Half: half})
		c, err := p.Condition(t.Context(), history)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Plan(t.Context(), c, Sampling{Scheduler: "DDIM", Steps: 10, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		actions[i], bytes[i] = plan.Actions.Data, p.Shape().Bytes
		if want := []string{"float32", "float16"}[i]; p.Shape().Stored != want {
			t.Errorf("weights are kept as %s, want %s", p.Shape().Stored, want)
		}
	}
	if bytes[1] > bytes[0]*55/100 {
		t.Errorf("half precision takes %d bytes of %d", bytes[1], bytes[0])
	}
	// Weights are off by 2^-11, and ten steps add up; actions span 500 px.
	golden.Close(t, "half precision", actions[1], actions[0], 5, 0)
	if slices.Equal(actions[0], actions[1]) {
		t.Error("rounded weights give the very same actions")
	}
	if _, err := open(t, dir, Options{}).Dynamics(Sampling{Scheduler: "Euler"}); err == nil || !strings.Contains(err.Error(), "Euler") {
		t.Errorf("an unknown scheduler: %v", err)
	}
}

// TestPicturesAreChecked reads a recording for a policy: a picture of another size is refused
// before it is decoded, and one that the policy is not told is left where it is.
func TestPicturesAreChecked(t *testing.T) {
	p := &Policy{config: Config{Inputs: []Feature{{Key: "observation.image", Type: Visual, Shape: []int{3, 16, 24}}}}}
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1000, 1000))); err != nil {
		t.Fatal(err)
	}
	for list, says := range map[string]string{
		`{"pixels": "seen.png"}`:                     "1000×1000 pixels, want 24×16",
		`{"observation.image": "seen.png"}`:          "1000×1000 pixels, want 24×16",
		`{"observation.images.wrist": "absent.png"}`: "",
	} {
		dir := t.TempDir()
		hostile{t, dir}.write(observationsFile, []byte(list))
		hostile{t, dir}.write("seen.png", b.Bytes()[:200]) // its size can be read, but not its pixels
		r, err := OpenRecording(dir, p)
		if err != nil {
			t.Fatal(err)
		}
		o, err := r.Next()
		if says == "" && (err != nil || len(o.Images) != 0) {
			t.Errorf("%s: %v, with %d pictures", list, err, len(o.Images))
		}
		var e *RecordingError
		if says != "" && (!errors.As(err, &e) || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, want a *RecordingError with %q", list, err, says)
		}
	}
}
