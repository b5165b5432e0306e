package kernel

// span is the argument of the kernels of float64 vectors; the generator knows its
// layout.
type span struct {
	turns   int // of spanTurn elements
	x, out  *float32
	v, base *float64
	p       [3]*float64
	w       [3]float64
	sums    [3]Lanes
}

// spanTurn is the number of elements of a turn.
const spanTurn = 8

type spanOp int

const (
	opCenter spanOp = iota
	opDot3
	opCombine3
	opApart
)

// run runs a kernel on whole turns of n elements and returns how many elements that
// were: none without vector kernels.
func (s *span) run(op spanOp, n int) int {
	if s.turns = n / spanTurn; active == Portable || s.turns == 0 {
		return 0
	}
	runSpan(op, s)
	return s.turns * spanTurn
}

// total adds the lanes of a sum up.
func (s *span) total(i int) float64 {
	l := &s.sums[i]
	return (l[0] + l[2]) + (l[1] + l[3])
}

// Center writes x less base to v and returns the sum of its squares.
func Center(v []float64, x []float32, base []float64) (squares float64) {
	v, base = v[:len(x)], base[:len(x)]
	if len(x) == 0 {
		return 0
	}
	s := span{x: &x[0], v: &v[0], base: &base[0]}
	done := s.run(opCenter, len(x))
	squares = s.total(0)
	for j := done; j < len(x); j++ {
		v[j] = float64(x[j]) - base[j]
		squares += v[j] * v[j]
	}
	return squares
}

// Dot3 returns the inner products of v with three vectors.
func Dot3(v []float64, p [3][]float64) (sums [3]float64) {
	if len(v) == 0 {
		return sums
	}
	s := span{v: &v[0]}
	for i := range p {
		s.p[i] = &p[i][:len(v)][0]
	}
	done := s.run(opDot3, len(v))
	a, b, c := p[0][:len(v)], p[1][:len(v)], p[2][:len(v)]
	t0, t1, t2 := s.total(0), s.total(1), s.total(2)
	for j := done; j < len(v); j++ {
		t0 += v[j] * a[j]
		t1 += v[j] * b[j]
		t2 += v[j] * c[j]
	}
	return [3]float64{t0, t1, t2}
}

// Combine3 writes base plus three weighted vectors to v, which may be base.
func Combine3(v, base []float64, w [3]float64, p [3][]float64) {
	base = base[:len(v)]
	if len(v) == 0 {
		return
	}
	s := span{v: &v[0], base: &base[0], w: w}
	for i := range p {
		s.p[i] = &p[i][:len(v)][0]
	}
	done := s.run(opCombine3, len(v))
	a, b, c := p[0][:len(v)], p[1][:len(v)], p[2][:len(v)]
	for j := done; j < len(v); j++ {
		v[j] = base[j] + (w[0]*a[j] + w[1]*b[j] + w[2]*c[j])
	}
}

// Apart writes v, rounded, to out, which may be x, and returns the squared distances
// of x and of the rounding from v.
func Apart(out, x []float32, v []float64) (distance, missed float64) {
	out, v = out[:len(x)], v[:len(x)]
	if len(x) == 0 {
		return 0, 0
	}
	s := span{x: &x[0], out: &out[0], v: &v[0]}
	done := s.run(opApart, len(x))
	distance, missed = s.total(0), s.total(1)
	for j := done; j < len(x); j++ {
		e := float64(x[j]) - v[j]
		distance += e * e
		out[j] = float32(v[j])
		e = float64(out[j]) - v[j]
		missed += e * e
	}
	return distance, missed
}
