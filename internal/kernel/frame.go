package kernel

// frame is an image sequence with the rows and columns of zeros around it that the taps
// of a lowered convolution reach, so that the pixels which a row of taps takes follow one
// another: the left rows of the product overlap in place, as those of sequences do. It is
// copied some rows of the result at a time.
type frame struct {
	*lowered
	high, wide    int // rows and columns of taps
	height, width int // of an image with its zeros
	data          []float32
	first         int    // row of the result, over all images, that data begins with
	to            places // of the pixels of the result
}

// frameSize is how many elements of a frame are copied at a time.
const frameSize = 4 << 20

func newFrame(c *Crew, l *lowered) *frame {
	f := own(c, frame{lowered: l})
	f.high, f.wide = l.taps[len(l.taps)-1].dy-l.taps[0].dy+1, l.taps[len(l.taps)-1].dx-l.taps[0].dx+1
	f.height, f.width = l.step*(l.rows-1)+f.high, l.step*(l.cols-1)+f.wide
	return f
}

// run computes the product, whose rows go to p.to of the pixel of the result.
func (f *frame) run(c *Crew, p *matmul) {
	all := f.src.N * f.rows
	channels := f.src.Channels
	line := f.width * channels
	count := min(all, max(1, (frameSize/line-f.high)/f.step))
	f.data = c.floats((f.most(count) + f.high) * line)
	p.left = leftRows{f.data, places{by: (*framePlaces)(f)}, f.wide * channels, line}
	f.to, p.to = p.to, places{by: (*laterPlaces)(f)}
	for f.first = 0; f.first < all; f.first += count {
		n := min(count, all-f.first)
		f.fill(c, f.line(f.first+n-1)-f.line(f.first)+f.high)
		p.m = n * f.cols
		p.run(c)
	}
}

// framePlaces are the places of the left rows.
type framePlaces frame

func (p *framePlaces) place(at []int, first int) {
	f := (*frame)(p)
	channels := f.src.Channels
	line := f.width * channels
	for i := range at {
		row, x := (first+i)/f.cols, (first+i)%f.cols
		at[i] = 4 * ((f.line(f.first+row)-f.line(f.first))*line + x*f.step*channels)
	}
}

// laterPlaces are those of the pixels of the result, from the first row on.
type laterPlaces frame

func (p *laterPlaces) place(at []int, first int) { p.to.write(at, p.first*p.cols+first) }

// line returns the row of the frame, over all images, that a row of the result begins with.
func (f *frame) line(row int) int { return row/f.rows*f.height + row%f.rows*f.step }

// most bounds the lines between the first and the last of some rows of the result.
func (f *frame) most(rows int) int {
	return (rows-1)*f.step + (rows-1+f.rows-1)/f.rows*max(0, f.height-f.rows*f.step)
}

// fill copies lines.
func (f *frame) fill(c *Crew, lines int) {
	const group = 8
	share(c, (lines+group-1)/group, frameLines{f, lines}, func(l *frameLines, task int, _ *Hand) {
		f := l.frame
		from, size := f.line(f.first), f.width*f.src.Channels
		for i := task * group; i < min((task+1)*group, l.lines); i++ {
			f.copyLine(f.data[i*size:][:size], (from+i)/f.height, (from+i)%f.height+f.taps[0].dy)
		}
	})
}

// frameLines are lines of a frame.
type frameLines struct {
	*frame
	lines int
}

// copyLine copies a row of an image between zeros.
func (f *frame) copyLine(dst []float32, image, y int) {
	channels, left := f.src.Channels, f.taps[0].dx
	if f.double || f.src.Pixel != channels {
		for x := range f.width {
			pixel := dst[x*channels:][:channels]
			if at := f.at(image, y, x+left); at >= 0 {
				copy(pixel, f.src.Data[at:])
			} else {
				clear(pixel)
			}
		}
		return
	}
	lo, hi := min(f.width, max(0, -left)), min(f.width, f.src.Width-left)
	if y < 0 || y >= f.src.Height || lo >= hi {
		clear(dst)
		return
	}
	clear(dst[:lo*channels])
	copy(dst[lo*channels:hi*channels], f.src.Data[f.at(image, y, lo+left):])
	clear(dst[hi*channels:])
}
