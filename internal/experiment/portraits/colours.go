package portraits

// colours compares the colours of pictures with what comes back of them.
type colours struct {
	pixels             int
	sum, squares, lost [2]float64
}

// add compares two pictures of three channels.
func (c *colours) add(x, y []float32) {
	plane := len(x) / 3
	c.pixels += plane
	for i := range plane {
		a, b := chroma(x, i, plane), chroma(y, i, plane)
		for k := range a {
			c.sum[k] += a[k]
			c.squares[k] += a[k] * a[k]
			c.lost[k] += (a[k] - b[k]) * (a[k] - b[k])
		}
	}
}

// returned is the share of the variance over all pixels that came back, R².
func (c *colours) returned() float64 {
	lost, variance := 0.0, 0.0
	for k, sum := range c.sum {
		lost += c.lost[k]
		variance += c.squares[k] - sum*sum/float64(c.pixels)
	}
	return 1 - lost/variance
}

// chroma returns the differences of blue and of red from the brightness of a pixel, with the
// factors of ITU-R BT.601.
func chroma(x []float32, i, plane int) [2]float64 {
	red, green, blue := float64(x[i]), float64(x[plane+i]), float64(x[2*plane+i])
	bright := 0.299*red + 0.587*green + 0.114*blue
	return [2]float64{0.564 * (blue - bright), 0.713 * (red - bright)}
}
