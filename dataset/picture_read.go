package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"io/fs"

	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/internal/regular"
)

// maxPixels is how many pixels a picture may have that is read.
const maxPixels = 1 << 26

// inflation is by how much the compression of PNG can shorten a file at most.
const inflation = 1032

// maxPictureBytes is how long a file is that holds maxPixels of 16-bit colours and
// opacity which do not compress.
const maxPictureBytes = maxPixels*8 + 1<<20

// ReadPicture reads a PNG file of any kind: colours or greys, with a palette, with
// transparency, which is dropped, of up to 16 bits, which are rounded to 8. It returns
// a [FormatError] for other files, and for pictures of more than 2^26 pixels or more than a
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
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, &FormatError{File: name, Reason: "is not a PNG picture, convert it to one", Err: err}
	}
	pixels := int64(c.Width) * int64(c.Height)
	if c.Width < 1 || c.Height < 1 {
		return nil, &FormatError{File: name, Reason: fmt.Sprintf("has %d x %d pixels", c.Width, c.Height)}
	}
	most := int64(len(data)) * inflation * 8 / pixelBits(c.ColorModel)
	if pixels > maxPixels {
		return nil, &FormatError{File: name, Reason: fmt.Sprintf("has %d x %d pixels, want at most %d: make it smaller", c.Width, c.Height, maxPixels)}
	}
	if int64(c.Width) > most || int64(c.Height) > most || pixels > most {
		return nil, &FormatError{File: name, Reason: fmt.Sprintf("claims %d x %d pixels, a file of %d bytes holds at most %d", c.Width, c.Height, len(data), most)}
	}
	if err := memory.Check(float64(pixels), pixelBytes, fmt.Sprintf("%d x %d pixels", c.Width, c.Height)); err != nil {
		return nil, &FormatError{File: name, Reason: "is too large", Err: err}
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, &FormatError{File: name, Reason: "is damaged", Err: err}
	}
	return FromImage(m), nil
}

// pixelBytes is what a pixel takes while a file is read: decoded, and as a [Picture].
const pixelBytes = 11

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
