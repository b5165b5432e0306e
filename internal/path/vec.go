package path

import "math"

// MaxDims is the largest number of coordinates of a point.
const MaxDims = 3

// Float is the precision of stored paths.
type Float interface{ ~float32 | ~float64 }

// vec is a point or a force; paths in fewer dimensions leave the rest zero. It is
// a struct and not an array because the compiler keeps structs in registers.
type vec struct{ x, y, z float64 }

func (a vec) add(b vec) vec { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }

func (a vec) sub(b vec) vec { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }

func (a vec) times(s float64) vec { return vec{s * a.x, s * a.y, s * a.z} }

func (a vec) dot(b vec) float64 { return a.x*b.x + a.y*b.y + a.z*b.z }

func (a vec) norm() float64 { return math.Sqrt(a.x*a.x + a.y*a.y + a.z*a.z) }

// direction returns a/‖a‖, or some direction for the zero vector.
func (a vec) direction() vec {
	if n := a.norm(); n > 0 {
		return a.times(1 / n)
	}
	return vec{x: 1}
}

// lerp returns a + t (b − a).
func (a vec) lerp(b vec, t float64) vec { return a.add(b.sub(a).times(t)) }

// magnitude returns the largest absolute coordinate.
func (a vec) magnitude() float64 { return max(math.Abs(a.x), math.Abs(a.y), math.Abs(a.z)) }

// array returns the coordinates for loops over them.
func (a vec) array() [MaxDims]float64 { return [MaxDims]float64{a.x, a.y, a.z} }

// vecOf returns a vector of up to three coordinates.
func vecOf[F Float](x []F) (v vec) {
	switch len(x) {
	case 3:
		v.z = float64(x[2])
		fallthrough
	case 2:
		v.y = float64(x[1])
		fallthrough
	case 1:
		v.x = float64(x[0])
	}
	return v
}
