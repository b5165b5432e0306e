package published

import "math"

// float is the precision of the published iteration.
type float interface{ ~float32 | ~float64 }

// admm is the alternating direction method of multipliers as published for the
// velocity constraint: scaled duals, one penalty, the linear system factored
// once. One value serves every coordinate of every path of a length.
//
//	x = (I + ρDᵀD)⁻¹ (x̂ + ρDᵀ(z + b − u)),  z = clip(Dx − b + u),  u += Dx − z − b
//
// D takes first differences, and b holds the start. Without a held start, D is
// one row shorter and b is 0.
type admm[F float] struct {
	n     int
	held  bool // the path starts at a held point
	rho   F
	limit F
	upper []F // off-diagonal of the factor, Thomas
	pivot []F // inverse diagonal of the factor
}

func newADMM[F float](n int, held bool, rho, limit float64) *admm[F] {
	a := &admm[F]{n: n, held: held, rho: F(rho), limit: F(limit), upper: make([]F, n), pivot: make([]F, n)}
	for i := range n {
		degree := 2
		if i == n-1 {
			degree--
		}
		if i == 0 && !held {
			degree--
		}
		d := 1 + a.rho*F(degree)
		if i > 0 {
			d += a.rho * a.upper[i-1]
		}
		a.pivot[i] = 1 / d
		a.upper[i] = -a.rho * a.pivot[i]
	}
	return a
}

// admmState is the state of one path; z and u belong to the difference that ends
// at a point, and the first is unused when the start is free.
type admmState[F float] struct {
	dims       int
	start      []F
	target     []F // x̂, [n, dims]
	x, z, u    []F
	zChange    F // squared change of z in the last iteration
	difference []F
}

func newADMMState[F float](n, dims int) *admmState[F] {
	v := make([]F, 4*n*dims+2*dims)
	next := func(k int) []F { p := v[:k:k]; v = v[k:]; return p }
	return &admmState[F]{
		dims: dims, start: next(dims), difference: next(dims),
		target: next(n * dims), x: next(n * dims), z: next(n * dims), u: next(n * dims),
	}
}

// first returns the index of the first difference.
func (a *admm[F]) first() int {
	if a.held {
		return 0
	}
	return 1
}

// iterate does one iteration.
func (a *admm[F]) iterate(s *admmState[F]) {
	d := s.dims
	copy(s.x, s.target)
	for h := a.first(); h < a.n; h++ {
		for i := range d {
			v := s.z[h*d+i] - s.u[h*d+i]
			if h == 0 {
				v += s.start[i]
			} else {
				s.x[(h-1)*d+i] -= a.rho * v
			}
			s.x[h*d+i] += a.rho * v
		}
	}
	a.solve(s.x, d)
	s.zChange = 0
	for h := a.first(); h < a.n; h++ {
		a.clip(s, h)
	}
}

// solve overwrites x by (I + ρDᵀD)⁻¹ x.
func (a *admm[F]) solve(x []F, d int) {
	for h := range a.n {
		for i := range d {
			v := x[h*d+i]
			if h > 0 {
				v += a.rho * x[(h-1)*d+i]
			}
			x[h*d+i] = v * a.pivot[h]
		}
	}
	for h := a.n - 2; h >= 0; h-- {
		for i := range d {
			x[h*d+i] -= a.upper[h] * x[(h+1)*d+i]
		}
	}
}

// step writes Dx − b of difference h.
func (a *admm[F]) step(dst []F, s *admmState[F], h int) {
	for i := range dst {
		before := s.start[i]
		if h > 0 {
			before = s.x[(h-1)*s.dims+i]
		}
		dst[i] = s.x[h*s.dims+i] - before
	}
}

// clip updates z and u of difference h.
func (a *admm[F]) clip(s *admmState[F], h int) {
	a.step(s.difference, s, h)
	z, u := s.z[h*s.dims:(h+1)*s.dims], s.u[h*s.dims:(h+1)*s.dims]
	var square F
	for i, v := range s.difference {
		square += (v + u[i]) * (v + u[i])
	}
	length := F(math.Sqrt(float64(square)))
	shrink := min(1, a.limit/(length+1e-10)) // 1e-10 as published
	for i, v := range s.difference {
		w := shrink * (v + u[i])
		s.zChange += (w - z[i]) * (w - z[i])
		z[i] = w
		u[i] += v - w
	}
}

// primal returns the squared primal residual ‖Dx − z − b‖².
func (a *admm[F]) primal(s *admmState[F]) (r F) {
	for h := a.first(); h < a.n; h++ {
		a.step(s.difference, s, h)
		for i, v := range s.difference {
			e := v - s.z[h*s.dims+i]
			r += e * e
		}
	}
	return r
}
