package dataset

import "image"

// Most JPEG files have one number of colour for two or four pixels, which lies between their centres. Whoever reads
// them for networks takes the library of the Independent JPEG Group, which draws straight lines through the numbers
// ("fancy upsampling"); the nearest number instead moves colours by half a pixel and leaves steps at their edges.

// chromaScale says how the colours of a row come out of three parts of the near number and one of the far one, by lines
// across, down or both: the sum of the parts, and what is added for the first and the second pixel before it is divided.
// The additions alternate, so that rounding has no direction; they are the library's.
type chromaScale struct {
	across, down bool
	parts        int
	first        int // of every two pixels across, or down where there are none across
	second       int
}

var chromaScales = map[image.YCbCrSubsampleRatio]chromaScale{
	image.YCbCrSubsampleRatio422: {across: true, parts: 4, first: 1, second: 2},
	image.YCbCrSubsampleRatio440: {down: true, parts: 4, first: 1, second: 2},
	image.YCbCrSubsampleRatio420: {across: true, down: true, parts: 16, first: 8, second: 7},
}

// leastWide is up to how many pixels across the library takes the nearest number.
const leastWide = 4

// withWholeChroma returns a picture with colours for every pixel, by straight lines where there is one for two or four.
func withWholeChroma(m image.Image) image.Image {
	y, ok := m.(*image.YCbCr)
	if !ok {
		return m
	}
	s, ok := chromaScales[y.SubsampleRatio]
	width, height := y.Rect.Dx(), y.Rect.Dy()
	if !ok || s.across && width <= leastWide {
		return m
	}
	out := *y
	out.SubsampleRatio, out.CStride = image.YCbCrSubsampleRatio444, width
	out.Cb, out.Cr = s.whole(y.Cb, y.CStride, width, height), s.whole(y.Cr, y.CStride, width, height)
	return &out
}

// whole returns the colours of all pixels.
func (s chromaScale) whole(plane []uint8, stride, width, height int) []uint8 {
	across, down := width, height
	if s.across {
		across = (width + 1) / 2
	}
	if s.down {
		down = (height + 1) / 2
	}
	out, line := make([]uint8, width*height), make([]int, across)
	for y := range height {
		near, far, add := y, y, s.first
		if s.down {
			near, far = y/2, besides(y, down)
		}
		for x := range line {
			line[x] = int(plane[near*stride+x])
			if s.down {
				line[x] = 3*line[x] + int(plane[far*stride+x])
			}
		}
		if !s.across && y%2 == 1 {
			add = s.second
		}
		s.row(out[y*width:][:width], line, add)
	}
	return out
}

// row writes the colours of a row of pixels.
func (s chromaScale) row(out []uint8, line []int, add int) {
	for x := range out {
		if !s.across {
			out[x] = uint8((line[x] + add) / s.parts)
			continue
		}
		add := s.first
		if x%2 == 1 {
			add = s.second
		}
		out[x] = uint8((3*line[x/2] + line[besides(x, len(line))] + add) / s.parts)
	}
}

// besides returns the place of the second nearest of n numbers to a pixel, of which each has two.
func besides(pixel, n int) int {
	if pixel%2 == 0 {
		return max(pixel/2-1, 0)
	}
	return min(pixel/2+1, n-1)
}
