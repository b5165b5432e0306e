package kernel

import "math"

// adam is the argument of the vector kernel; the generator knows its layout.
type adam struct {
	p, g, m, v *float32
	n          int
	mask       uint64
	words      *int32
	scalar     [9]float32
}

// AdamStep is what a step of Adam needs beside the arrays.
type AdamStep struct {
	Rate         float64 // learning rate
	Beta1, Beta2 float64 // decay of the moments
	Epsilon      float64
	Decay        float64 // decoupled weight decay, 0 for plain Adam
	Scale        float64 // factor of the gradient, for clipping by global norm; 0 means 1
	Step         int     // 1 for the first step
}

// scalars returns g scale, β1, 1-β1, β2, 1-β2, step size, 1/√(1-β2^t), ε, decay.
func (s AdamStep) scalars() [9]float32 {
	scale := s.Scale
	if scale == 0 {
		scale = 1
	}
	size := s.Rate / (1 - math.Pow(s.Beta1, float64(s.Step)))
	root := 1 / math.Sqrt(1-math.Pow(s.Beta2, float64(s.Step)))
	return [9]float32{float32(scale), float32(s.Beta1), float32(1 - s.Beta1), float32(s.Beta2),
		float32(1 - s.Beta2), float32(size), float32(root), float32(s.Epsilon), float32(1 - s.Rate*s.Decay)}
}

// Adam updates parameters p and their moments m and v with the gradient g.
// Sources: Kingma and Ba, "Adam" (ICLR 2015), algorithm 1; Loshchilov and Hutter,
// "Decoupled weight decay regularization" (ICLR 2019), algorithm 2.
func Adam(p, g, m, v []float32, s AdamStep) {
	if len(g) != len(p) || len(m) != len(p) || len(v) != len(p) {
		panic("kernel: arrays of different lengths")
	}
	if len(p) == 0 {
		return
	}
	c := s.scalars()
	if active == Portable {
		portableAdam(p, g, m, v, c)
		return
	}
	w := newSweep(Vector(p))
	a := adam{p: &p[0], g: &g[0], m: &m[0], v: &v[0], n: len(p), mask: w.mask, words: w.words, scalar: c}
	runAdam(&a)
}

func portableAdam(p, g, m, v []float32, c [9]float32) {
	for i, d := range g {
		d *= c[0]
		m[i] = c[1]*m[i] + c[2]*d
		v[i] = c[3]*v[i] + c[4]*d*d
		root := float32(math.Sqrt(float64(v[i])))*c[6] + c[7]
		p[i] = c[8]*p[i] - c[5]*(m[i]/root)
	}
}
