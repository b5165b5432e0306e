package dataset_test

import (
	"image"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/dataset"
)

// TestColoursOfPhotos compares pictures of noise with what the library that others use reads from them. What remains are
// roundings of the transform and of the change of colours.
func TestColoursOfPhotos(t *testing.T) {
	files, err := filepath.Glob("testdata/jpeg/*.jpg")
	if err != nil || len(files) != 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		p, err := dataset.ReadPicture(file)
		if err != nil {
			t.Fatal(err)
		}
		want := bytesOf(t, file[:len(file)-len("jpg")]+"npy")
		if len(want) != len(p.Pix) {
			t.Fatalf("%s: %d x %d pixels, want %d bytes", file, p.Width, p.Height, len(want))
		}
		worst, sum := 0, 0
		for i, v := range p.Pix {
			d := max(int(v)-int(want[i]), int(want[i])-int(v))
			worst, sum = max(worst, d), sum+d
		}
		if worst > 4 || sum > len(p.Pix)/2 {
			t.Errorf("%s: differs by %d at most and by %d / %d in the mean", file, worst, sum, len(p.Pix))
		}
	}
}

// bytesOf returns the numbers of an array.
func bytesOf(t *testing.T, file string) []uint8 {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := dataset.ReadNPY(f, dataset.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return a.Data.([]uint8)
}

// TestLinesOfColours draws colours that change evenly: all pixels but those beside an edge lie on the line, half way to
// where the next number is.
func TestLinesOfColours(t *testing.T) {
	for ratio, step := range map[image.YCbCrSubsampleRatio][2]int{
		image.YCbCrSubsampleRatio420: {4, 8}, image.YCbCrSubsampleRatio422: {4, 16}, image.YCbCrSubsampleRatio440: {8, 8},
	} {
		m := image.NewYCbCr(image.Rect(0, 0, 9, 7), ratio)
		for y := range 7 {
			for x := range 9 {
				m.Cb[m.COffset(x, y)] = uint8(8 + m.COffset(x, y)%m.CStride*8 + m.COffset(x, y)/m.CStride*16)
				m.Cr[m.COffset(x, y)] = 77
			}
		}
		out, ok := dataset.WithWholeChroma(m).(*image.YCbCr)
		if !ok || out.SubsampleRatio != image.YCbCrSubsampleRatio444 || &out.Y[0] != &m.Y[0] {
			t.Fatalf("%v: %v", ratio, out)
		}
		for y := 1; y < 6; y++ {
			for x := 1; x < 8; x++ {
				here := int(out.Cb[out.COffset(x, y)])
				if right := int(out.Cb[out.COffset(x+1, y)]); x < 7 && right-here != step[0] {
					t.Errorf("%v: %d beside %d at (%d, %d), want steps of %d", ratio, right, here, x, y, step[0])
				}
				if down := int(out.Cb[out.COffset(x, y+1)]); y < 5 && down-here != step[1] {
					t.Errorf("%v: %d below %d at (%d, %d), want steps of %d", ratio, down, here, x, y, step[1])
				}
				if v := out.Cr[out.COffset(x, y)]; v != 77 {
					t.Errorf("%v: an even colour of 77 is %d at (%d, %d)", ratio, v, x, y)
				}
			}
		}
	}
	for _, as := range []image.Image{image.NewGray(image.Rect(0, 0, 9, 9)), image.NewYCbCr(image.Rect(0, 0, 9, 9), image.YCbCrSubsampleRatio444), image.NewYCbCr(image.Rect(0, 0, 9, 9), image.YCbCrSubsampleRatio410)} {
		if dataset.WithWholeChroma(as) != as {
			t.Errorf("%T is changed", as)
		}
	}
}
