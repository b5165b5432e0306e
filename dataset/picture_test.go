package dataset_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/golden"
)

func encode(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPicturesAreReadAsPublished compares reading, resizing and scaling with the
// published preprocessing of exemplars. Grey levels may differ by one: the reference
// resizes in fixed point.
func TestPicturesAreReadAsPublished(t *testing.T) {
	arrays := golden.Safetensors(t, "testdata/pictures/preprocess.safetensors")
	for _, name := range []string{"down", "up", "same"} {
		in, want := arrays["in."+name+".rgba"], arrays["out."+name]
		m := image.NewNRGBA(image.Rect(0, 0, in.Shape[1], in.Shape[0]))
		for i, v := range in.Data {
			m.Pix[i] = uint8(v)
		}
		p, err := dataset.DecodePicture(name, encode(t, m))
		if err != nil {
			t.Fatal(err)
		}
		h, w := want.Shape[1], want.Shape[2]
		got := make([]float32, 3*h*w)
		p.Resize(w, h).Unit(got)
		tolerance := 2.0/255 + 1e-6
		if name == "same" {
			tolerance = 1e-6
		}
		off := 0
		for i := range got {
			d := math.Abs(float64(got[i]) - float64(want.Data[i]))
			if d > tolerance {
				t.Fatalf("%s: number %d is %v, want %v", name, i, got[i], want.Data[i])
			}
			if d > 1e-6 {
				off++
			}
		}
		if off > len(got)/50 {
			t.Errorf("%s: %d of %d numbers differ by a grey level", name, off, len(got))
		}
	}
}

// TestKindsOfPNG reads one colour from files of every kind.
func TestKindsOfPNG(t *testing.T) {
	at := image.Rect(3, 5, 5, 8) // bounds need not begin at 0
	for name, c := range map[string]struct {
		m    image.Image
		want [3]uint8
	}{
		"colours":             {filled(image.NewRGBA(at), color.RGBA{10, 20, 30, 255}), [3]uint8{10, 20, 30}},
		"see-through":         {filled(image.NewNRGBA(at), color.NRGBA{10, 20, 30, 128}), [3]uint8{10, 20, 30}},
		"invisible":           {filled(image.NewNRGBA(at), color.NRGBA{10, 20, 30, 0}), [3]uint8{10, 20, 30}},
		"grey":                {filled(image.NewGray(at), color.Gray{77}), [3]uint8{77, 77, 77}},
		"16-bit grey":         {filled(image.NewGray16(at), color.Gray16{0x80ff}), [3]uint8{128, 128, 128}},
		"16-bit colours":      {filled(image.NewRGBA64(at), color.RGBA64{0x0a0a, 0x14ff, 0xffff, 0xffff}), [3]uint8{10, 21, 255}},
		"16-bit see-through":  {filled(image.NewNRGBA64(at), color.NRGBA64{0x0a0a, 0x1414, 0x1e1e, 7}), [3]uint8{10, 20, 30}},
		"palette":             {filled(image.NewPaletted(at, color.Palette{color.Black, color.RGBA{1, 2, 3, 255}}), color.RGBA{1, 2, 3, 255}), [3]uint8{1, 2, 3}},
		"see-through palette": {filled(image.NewPaletted(at, color.Palette{color.Black, color.NRGBA{9, 8, 7, 100}}), color.NRGBA{9, 8, 7, 100}), [3]uint8{9, 8, 7}},
	} {
		p, err := dataset.DecodePicture(name, encode(t, c.m))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Width != 2 || p.Height != 3 || !slices.Equal(p.Pix[:3], c.want[:]) {
			t.Errorf("%s: %d x %d pixels of %v, want 2 x 3 of %v", name, p.Width, p.Height, p.Pix[:3], c.want)
		}
	}
}

type settable interface {
	image.Image
	Set(x, y int, c color.Color)
}

func filled(m settable, c color.Color) image.Image {
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			m.Set(x, y, c)
		}
	}
	return m
}

// claim returns a PNG file whose header claims a size.
func claim(t testing.TB, width, height uint32) []byte {
	t.Helper()
	data := encode(t, filled(image.NewRGBA(image.Rect(0, 0, 4, 4)), color.White))
	binary.BigEndian.PutUint32(data[16:], width)
	binary.BigEndian.PutUint32(data[20:], height)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

func TestHostilePictures(t *testing.T) {
	good := encode(t, filled(image.NewRGBA(image.Rect(0, 0, 4, 4)), color.White))
	for name, data := range map[string][]byte{
		"a thousand million pixels": claim(t, 32768, 32768),
		"a long line":               claim(t, 1<<31-1, 1),
		"no pixels":                 claim(t, 0, 4),
		"truncated":                 good[:len(good)-20],
		"empty":                     nil,
		"text":                      []byte("P3 4 4 255"),
	} {
		var bad *dataset.FormatError
		if _, err := dataset.DecodePicture(name, data); !errors.As(err, &bad) {
			t.Errorf("%s: %v, want a *dataset.FormatError", name, err)
		}
	}
	if _, err := dataset.ReadPicture(filepath.Join(t.TempDir(), "none.png")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	var bad *dataset.FormatError
	if _, err := dataset.ReadPicture(t.TempDir()); !errors.As(err, &bad) {
		t.Errorf("a folder: %v, want a *dataset.FormatError", err)
	}
	// The remedy depends on what is wrong.
	for text, data := range map[string][]byte{"make it smaller": claim(t, 1<<14, 1<<14), "holds at most": claim(t, 1<<12, 1<<12), "convert it": []byte("GIF89a"), "is empty": nil} {
		if _, err := dataset.DecodePicture("name", data); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v does not say %q", err, text)
		}
	}
}

func TestPicturesGoThereAndBack(t *testing.T) {
	p := dataset.NewPicture(7, 3)
	for i := range p.Pix {
		p.Pix[i] = uint8(i * 37)
	}
	x := make([]float32, len(p.Pix))
	p.Unit(x)
	if q := dataset.PictureOf(x, 3, 7, -1, 1); !slices.Equal(p.Pix, q.Pix) {
		t.Error("numbers do not come back")
	}
	path := filepath.Join(t.TempDir(), "p.png")
	if err := p.WritePNG(path); err != nil {
		t.Fatal(err)
	}
	q, err := dataset.ReadPicture(path)
	if err != nil || !slices.Equal(p.Pix, q.Pix) {
		t.Errorf("the file does not come back: %v", err)
	}
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
	if got := dataset.PictureOf(odd, 1, 1, -1, 1).Pix; !slices.Equal(got, []uint8{0, 255, 0}) {
		t.Errorf("NaN and infinities became %v", got)
	}
}

func TestGrid(t *testing.T) {
	one := dataset.NewPicture(2, 2)
	g := dataset.Grid([]*dataset.Picture{one, one, one}, 2, 1, 200)
	if g.Width != 7 || g.Height != 7 {
		t.Fatalf("grid of %d x %d pixels", g.Width, g.Height)
	}
	if at := func(x, y int) uint8 { return g.Pix[(y*g.Width+x)*3] }; at(0, 0) != 200 || at(1, 1) != 0 || at(4, 1) != 0 || at(1, 4) != 0 || at(4, 4) != 200 {
		t.Error("pictures are not where they should be")
	}
}

func FuzzDecodePicture(f *testing.F) {
	f.Add(claim(f, 1<<20, 1<<20))
	f.Add(encode(f, filled(image.NewGray16(image.Rect(0, 0, 3, 3)), color.White)))
	f.Add(encode(f, filled(image.NewPaletted(image.Rect(0, 0, 3, 3), color.Palette{color.Black}), color.Black)))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := dataset.DecodePicture("fuzz", data)
		if (err == nil) != (p != nil && len(p.Pix) == 3*p.Width*p.Height) {
			t.Fatalf("%v, %v", p, err)
		}
	})
}
