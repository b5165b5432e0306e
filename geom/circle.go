package geom

// Circle is a closed disk.
type Circle struct {
	Center Vec2
	Radius float64
}

// SignedDistance implements [Solid]. At the centre the gradient is (1, 0).
func (c Circle) SignedDistance(p Vec2) (float64, Vec2) {
	v := p.Sub(c.Center)
	d := v.Norm()
	if d == 0 {
		return -c.Radius, Vec2{1, 0}
	}
	return d - c.Radius, v.Scale(1 / d)
}
