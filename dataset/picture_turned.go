package dataset

import (
	"bytes"
	"encoding/binary"
)

// Cameras write pictures as their sensor lies, and how they were held beside them: as the tag of orientation of
// EXIF data, a number from 1 to 8 (Exif 2.3, 4.6.4). Whoever looks at the picture sees it turned.

// orientation returns that of a JPEG file, and 1, as it lies, where there is none.
func orientation(data []byte) int {
	const application1, scan = 0xe1, 0xda
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		marker, size := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		if marker == 0xff { // filled up
			at++
			continue
		}
		if marker == scan || size < 2 || at+2+size > len(data) {
			break
		}
		if segment := data[at+4 : at+2+size]; marker == application1 && bytes.HasPrefix(segment, []byte("Exif\x00\x00")) {
			return orientationTag(segment[6:])
		}
		at += 2 + size
	}
	return 1
}

// orientationTag returns that of the first directory of EXIF data, which is TIFF.
func orientationTag(tiff []byte) int {
	const tag, short, entry = 0x112, 3, 12
	var order binary.ByteOrder = binary.LittleEndian
	if bytes.HasPrefix(tiff, []byte("MM\x00*")) {
		order = binary.BigEndian
	} else if !bytes.HasPrefix(tiff, []byte("II*\x00")) {
		return 1
	}
	if len(tiff) < 8 {
		return 1
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	for n := order.Uint16(tiff[at:]); n > 0; n-- {
		from := at + 2 + entry*int64(n-1)
		if from+entry > int64(len(tiff)) {
			continue
		}
		e := tiff[from:]
		if v := int(order.Uint16(e[8:])); order.Uint16(e) == tag && order.Uint16(e[2:]) == short && 1 <= v && v <= 8 {
			return v
		}
	}
	return 1
}

// upright returns a picture that lies as an orientation says, as it is to be looked at.
func (p *Picture) upright(orientation int) *Picture {
	if orientation == 1 {
		return p
	}
	right, down := p.Width-1, p.Height-1
	// Where the pixel (x, y) of the upright picture lies.
	lies := [...]func(x, y int) (int, int){
		2: func(x, y int) (int, int) { return right - x, y },
		3: func(x, y int) (int, int) { return right - x, down - y },
		4: func(x, y int) (int, int) { return x, down - y },
		5: func(x, y int) (int, int) { return y, x },
		6: func(x, y int) (int, int) { return y, down - x },
		7: func(x, y int) (int, int) { return right - y, down - x },
		8: func(x, y int) (int, int) { return right - y, x },
	}[orientation]
	out := NewPicture(p.Width, p.Height)
	if orientation >= 5 {
		out = NewPicture(p.Height, p.Width)
	}
	for y := range out.Height {
		for x := range out.Width {
			u, v := lies(x, y)
			copy(out.Pix[3*(y*out.Width+x):][:3], p.Pix[3*(v*p.Width+u):])
		}
	}
	return out
}
