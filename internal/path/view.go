package path

// View is the constrained part of one stored path: point 0 is the start, points 1
// to N are waypoints.
type View struct {
	Start  []float32
	X      []float32 // from the first constrained waypoint
	N      int       // number of constrained waypoints
	Dims   int       // 1 to [MaxDims] coordinates
	Stride int       // channels of a waypoint
}

// Point returns point h of 0..N.
func (v *View) Point(h int) []float32 {
	if h == 0 {
		return v.Start
	}
	at := (h - 1) * v.Stride
	return v.X[at : at+v.Dims]
}

// at returns point h as a vector.
func (v *View) at(h int) vec { return vecOf(v.Point(h)) }

// finite reports whether all points are finite numbers.
func (v *View) finite() bool {
	for h := 1; h <= v.N; h++ {
		for _, x := range v.Point(h) {
			if x-x != 0 {
				return false
			}
		}
	}
	return true
}

// LongestSquared returns the largest squared distance of neighbouring points.
func (v *View) LongestSquared() (longest float64) {
	if v.Dims == 2 {
		px, py := float64(v.Start[0]), float64(v.Start[1])
		for at := 0; at+1 < len(v.X); at += v.Stride {
			x, y := float64(v.X[at]), float64(v.X[at+1])
			if d := (x-px)*(x-px) + (y-py)*(y-py); d > longest {
				longest = d
			}
			px, py = x, y
		}
		return longest
	}
	p := v.Start
	for h := 1; h <= v.N; h++ {
		q := v.Point(h)
		longest = max(longest, SquaredDistance(p, q))
		p = q
	}
	return longest
}

// LargestTurn returns the largest norm of a second difference, where initial is
// the step that led to the start; nil is a start at rest.
func (v *View) LargestTurn(initial []float32) (largest float64) {
	p, step := v.at(0), vecOf(initial)
	for h := 1; h <= v.N; h++ {
		q := v.at(h)
		next := q.sub(p)
		largest = max(largest, next.sub(step).norm())
		p, step = q, next
	}
	return largest
}

// SquaredDistance returns ‖b − a‖² of stored points, in float64.
func SquaredDistance(a, b []float32) (s float64) {
	for i, p := range a {
		d := float64(b[i]) - float64(p)
		s += d * d
	}
	return s
}
