package kernel

// Images are N images of Height×Width pixels with Channels numbers each, channels
// last: pixel (y, x) of image i starts at ((i·Height + y)·Width + x)·Pixel. Pixel is
// the number of channels where the pixels are dense, and more where the channels are
// some of a larger array.
type Images struct {
	Data                       []float32
	N, Height, Width, Channels int
	Pixel                      int
}

// NewImages returns images of zeros.
func NewImages(n, height, width, channels int) Images {
	return Images{Alloc(n * height * width * channels), n, height, width, channels, channels}
}

// Matrix returns the pixels as rows.
func (g Images) Matrix() Matrix {
	return Matrix{Data: g.Data, Rows: g.N * g.Height * g.Width, Cols: g.Channels, Stride: g.Pixel}
}

// Image returns the pixels of image i as rows.
func (g Images) Image(i int) Matrix { return g.Matrix().part(i*g.pixels(), g.pixels()) }

// Channel returns n channels from the given one on, in the same memory.
func (g Images) Channel(from, n int) Images {
	g.Data, g.Channels = g.Data[from:], n
	return g
}

// pixels returns the number of pixels of an image.
func (g Images) pixels() int { return g.Height * g.Width }

func (g Images) check(channels int) {
	if g.Channels != channels || g.Pixel < channels {
		panic("kernel: images with other channels than the operation")
	}
	g.Matrix().check()
}

// grid is the shape of images of one channel.
type grid struct{ n, height, width int }

func (g Images) grid() grid { return grid{g.N, g.Height, g.Width} }
