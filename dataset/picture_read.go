package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"

	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/internal/regular"
)

// maxPixels is how many pixels a picture may have that is read.
const maxPixels = 1 << 26

// maxPictureBytes is how long a file is that holds maxPixels of 16-bit colours and
// opacity which do not compress.
const maxPictureBytes = maxPixels*8 + 1<<20

// pictureFormat is a kind of files that pictures are read from.
type pictureFormat struct {
	mark       string // of the first bytes
	config     func(io.Reader) (image.Config, error)
	decode     func(io.Reader) (image.Image, error)
	perByte    func(color.Model) int64 // most pixels for a byte of a file
	pixelBytes float64                 // of memory while a file is read: decoded, and as a [Picture]
}

var pictureFormats = []pictureFormat{
	{"\x89PNG", png.DecodeConfig, png.Decode, func(m color.Model) int64 { return inflation * 8 / pixelBits(m) }, 11},
	// A block of 64 pixels takes one bit at least; coefficients of those that come in several scans are kept, of four inks 16
	// bytes for a pixel.
	{"\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode, func(color.Model) int64 { return 8 * 64 }, 37},
}

// inflation is by how much the compression of PNG can shorten a file at most.
const inflation = 1032

// formatOf returns the format of a file: that of its first bytes, whatever its name.
func formatOf(data []byte) (pictureFormat, bool) {
	for _, f := range pictureFormats {
		if bytes.HasPrefix(data, []byte(f.mark)) {
			return f, true
		}
	}
	return pictureFormat{}, false
}

// ReadPicture reads a PNG or JPEG file of any kind: colours or greys, with a palette, with
// transparency, which is dropped, of up to 16 bits, which are rounded to 8. A JPEG picture is turned as its
// EXIF data say that the camera was held, and its colours are drawn by straight lines where it has one for several pixels.
// It returns a [FormatError] for other files, and for pictures of more than 2^26 pixels or more than a
// file of the length can hold, before it allocates them.
func ReadPicture(path string) (*Picture, error) {
	data, err := regular.ReadFile(path, maxPictureBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, &FormatError{File: path, Reason: "cannot be read", Err: err}
	}
	return decodePicture(path, data)
}

// decodePicture is [ReadPicture] for the content of a file; name is for messages.
func decodePicture(name string, data []byte) (*Picture, error) {
	f, ok := formatOf(data)
	if len(data) == 0 {
		return nil, &FormatError{File: name, Reason: "is empty, want a PNG or JPEG picture"}
	}
	if !ok {
		return nil, &FormatError{File: name, Reason: "is not a PNG or JPEG picture, convert it to one"}
	}
	c, err := f.config(bytes.NewReader(data))
	if err != nil {
		return nil, &FormatError{File: name, Reason: "is not a PNG or JPEG picture that can be read, convert it to one", Err: err}
	}
	if err := f.check(name, data, c); err != nil {
		return nil, err
	}
	m, err := f.decode(bytes.NewReader(data))
	if err != nil {
		return nil, &FormatError{File: name, Reason: "is damaged", Err: err}
	}
	return FromImage(withWholeChroma(m)).upright(orientation(data)), nil
}

// check refuses what is no size of a picture in such a file, or takes too much memory.
func (f *pictureFormat) check(name string, data []byte, c image.Config) error {
	pixels := int64(c.Width) * int64(c.Height)
	if c.Width < 1 || c.Height < 1 {
		return &FormatError{File: name, Reason: fmt.Sprintf("has %d x %d pixels", c.Width, c.Height)}
	}
	if pixels > maxPixels {
		return &FormatError{File: name, Reason: fmt.Sprintf("has %d x %d pixels, want at most %d: make it smaller", c.Width, c.Height, maxPixels)}
	}
	most := int64(len(data)) * f.perByte(c.ColorModel)
	if int64(c.Width) > most || int64(c.Height) > most || pixels > most {
		return &FormatError{File: name, Reason: fmt.Sprintf("claims %d x %d pixels, a file of %d bytes holds at most %d", c.Width, c.Height, len(data), most)}
	}
	if err := memory.Check(float64(pixels), f.pixelBytes, fmt.Sprintf("%d x %d pixels", c.Width, c.Height)); err != nil {
		return &FormatError{File: name, Reason: "is too large", Err: err}
	}
	return nil
}

// pixelBits returns the fewest bits that a pixel takes in a file before it is
// compressed.
func pixelBits(m color.Model) int64 {
	switch m {
	case color.RGBAModel, color.NRGBAModel:
		return 16 // greys with opacity
	case color.RGBA64Model, color.NRGBA64Model:
		return 32
	case color.Gray16Model:
		return 16
	default:
		return 1
	}
}
