package dataset_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
)

// corners returns a JPEG file of 48 × 32 pixels whose corners are red, green, blue and white, in the order of lines.
func corners(t *testing.T) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 48, 32))
	for y := range 32 {
		for x := range 48 {
			m.Set(x, y, []color.NRGBA{{0xff, 0, 0, 0xff}, {0, 0xff, 0, 0xff}, {0, 0, 0xff, 0xff}, {0xff, 0xff, 0xff, 0xff}}[y/16*2+x/24])
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// held returns the file with EXIF data, behind two other segments, that say how the camera was held.
func held(file []byte, order binary.AppendByteOrder, mark string, orientation uint16) []byte {
	tiff := order.AppendUint32([]byte(mark), 8)
	tiff = order.AppendUint16(tiff, 2)
	for _, e := range [][4]uint16{{0x10f, 2, 0, 0}, {0x112, 3, 1, orientation}} {
		tiff = order.AppendUint16(order.AppendUint16(tiff, e[0]), e[1])
		tiff = order.AppendUint32(tiff, uint32(e[2]))
		tiff = order.AppendUint16(order.AppendUint16(tiff, e[3]), 0)
	}
	segment := func(marker byte, body []byte) []byte {
		return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)), body...)
	}
	out := append([]byte{}, file[:2]...)
	out = append(out, segment(0xe0, []byte("JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"))...)
	out = append(out, 0xff) // filled up
	out = append(out, segment(0xe1, append([]byte("Exif\x00\x00"), tiff...))...)
	return append(out, file[2:]...)
}

// letters names the colours of the corners of a picture, in the order of lines.
func letters(p *dataset.Picture) string {
	name := ""
	for _, at := range [][2]int{{2, 2}, {p.Width - 3, 2}, {2, p.Height - 3}, {p.Width - 3, p.Height - 3}} {
		c := p.Pix[3*(at[1]*p.Width+at[0]):][:3]
		bright := [3]bool{c[0] > 200, c[1] > 200, c[2] > 200}
		name += map[[3]bool]string{{true, false, false}: "r", {false, true, false}: "g", {false, false, true}: "b", {true, true, true}: "w"}[bright]
	}
	return name
}

// TestPhotosAreUpright reads a picture as cameras write it, held in every way.
func TestPhotosAreUpright(t *testing.T) {
	for orientation, want := range map[uint16]string{0: "rgbw", 1: "rgbw", 2: "grwb", 3: "wbgr", 4: "bwrg", 5: "rbgw", 6: "brwg", 7: "wgbr", 8: "gwrb", 9: "rgbw"} {
		for mark, order := range map[string]binary.AppendByteOrder{"II*\x00": binary.LittleEndian, "MM\x00*": binary.BigEndian} {
			p, err := dataset.DecodePicture("photo.jpg", held(corners(t), order, mark, orientation))
			if err != nil {
				t.Fatal(err)
			}
			if high := p.Height > p.Width; letters(p) != want || high != (5 <= orientation && orientation <= 8) || p.Width*p.Height != 48*32 {
				t.Errorf("orientation %d, %q: %d x %d, %s, want %s", orientation, mark, p.Width, p.Height, letters(p), want)
			}
		}
	}
}

// TestDamagedPhotos are read as they lie or refused by name, wherever they end.
func TestDamagedPhotos(t *testing.T) {
	whole := held(corners(t), binary.BigEndian, "MM\x00*", 6)
	for n := range whole {
		var bad *dataset.FormatError
		if p, err := dataset.DecodePicture("photo.jpg", whole[:n]); !errors.As(err, &bad) && (err != nil || p == nil) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	size := bytes.Index(whole, []byte{0, 32, 0, 48}) // in the header of the frame
	large := bytes.Clone(whole)
	copy(large[size:], []byte{0x1f, 0xff, 0x1f, 0xff})
	if _, err := dataset.DecodePicture("photo.jpg", large); err == nil || !strings.Contains(err.Error(), "claims 8191 x 8191 pixels") {
		t.Errorf("a small file of many pixels: %v", err)
	}
}
