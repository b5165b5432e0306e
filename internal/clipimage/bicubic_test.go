package clipimage_test

import (
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/clipimage"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

// TestBicubicKeeps checks what the kernel reproduces exactly: constants
// everywhere, and the old pixels where the size stays.
func TestBicubicKeeps(t *testing.T) {
	src := tensor.New(1, 2, 3, 4)
	for i := range src.Data {
		src.Data[i] = float32(i*i%7) / 3
	}
	same := tensor.New(1, 2, 3, 4)
	clipimage.Resize(same, src)
	golden.Close(t, "images of the same size", same.Data, src.Data, 1e-7, 0)
	for i := range src.Data {
		src.Data[i] = 0.375
	}
	large := tensor.New(1, 2, 7, 9)
	clipimage.Resize(large, src)
	for i, v := range large.Data {
		if math.Abs(float64(v)-0.375) > 1e-7 {
			t.Fatalf("pixel %d of a grey image is %v, want 0.375", i, v)
		}
	}
}

// TestCLIPPreprocessingAgainstPublished compares with the cases of the folder that
// PCD_GOLDEN_IMAGES names.
func TestCLIPPreprocessingAgainstPublished(t *testing.T) {
	folder := os.Getenv("PCD_GOLDEN_IMAGES")
	if folder == "" {
		t.Skip("PCD_GOLDEN_IMAGES names no folder of cases; TestBicubicKeeps has closed forms")
	}
	for _, c := range golden.Cases(t, folder, func(name string) bool { return name == "clip_preprocess" }) {
		io := golden.Safetensors(t, c.Dir+"/io.safetensors")
		for name, want := range io {
			stage, ok := strings.CutSuffix(strings.TrimPrefix(name, "out."), ".resized")
			if !ok {
				continue
			}
			in := io["in."+stage]
			if in.Data == nil {
				t.Fatalf("no input for %s", name)
			}
			src := tensor.Batch{N: in.Shape[0], Shape: in.Shape[1:], Data: in.Data}
			dst := tensor.New(want.Shape[0], want.Shape[1:]...)
			clipimage.Resize(dst, src)
			c.Check(t, name, dst.Data, want)
			clipimage.Normalise(dst)
			c.Check(t, "out."+stage+".normalised", dst.Data, io["out."+stage+".normalised"])
		}
	}
}

// TestCLIPPreprocessingOfAnExemplar compares a photo of the folder that PCD_EXEMPLARS
// names with the case of the folder that PCD_GOLDEN_IMAGES names.
func TestCLIPPreprocessingOfAnExemplar(t *testing.T) {
	folder, exemplars := os.Getenv("PCD_GOLDEN_IMAGES"), os.Getenv("PCD_EXEMPLARS")
	if folder == "" || exemplars == "" {
		t.Skip("PCD_GOLDEN_IMAGES and PCD_EXEMPLARS name no folders of cases and photos; TestBicubicKeeps has closed forms")
	}
	for _, c := range golden.Cases(t, folder, func(name string) bool { return name == "clip_preprocess" }) {
		dst := tensor.New(1, 3, 224, 224)
		clipimage.Resize(dst, photo(t, filepath.Join(exemplars, "exemplars_male_2", "02_male_old.png")))
		clipimage.Normalise(dst)
		var got []float32
		for plane := range 3 {
			for y := 0; y < 224; y += 4 {
				for x := 0; x < 224; x += 4 {
					got = append(got, dst.Data[(plane*224+y)*224+x])
				}
			}
		}
		const name = "out.exemplar224_every4th"
		c.Check(t, name, got, golden.Safetensors(t, c.Dir+"/io.safetensors")[name])
	}
}

// photo returns the colours of a PNG file in [0, 1], without its opacity.
func photo(t *testing.T, path string) tensor.Batch {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	h, w := img.Bounds().Dy(), img.Bounds().Dx()
	out := tensor.New(1, 3, h, w)
	for y := range h {
		for x := range w {
			p := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			for c, v := range []uint8{p.R, p.G, p.B} {
				out.Data[(c*h+y)*w+x] = float32(v) / 255
			}
		}
	}
	return out
}
