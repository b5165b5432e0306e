package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// attentionCase is attention on random sequences, with its exact result and gradients.
type attentionCase struct {
	Attention
	q, k, v, dOut      Sequences
	out, dq, dk, dv    []float64
	logs               []float64
	batch, long, short int
}

func newAttentionCase(r *rand.Rand, a Attention, batch, queries, keys int) *attentionCase {
	random := func(rows int, extra int) Sequences {
		cols := a.Heads * a.Width
		return Sequences{Matrix{normals(r, batch*rows*(cols+extra)), batch * rows, cols, cols + extra}, batch}
	}
	return &attentionCase{Attention: a, batch: batch, long: queries, short: keys,
		q: random(queries, 3), k: random(keys, 0), v: random(keys, 7), dOut: random(queries, 0)}
}

// solve computes everything in float64, once for all kernels.
func (c *attentionCase) solve() {
	if c.out != nil {
		return
	}
	channels := c.Heads * c.Width
	c.out, c.dq = make([]float64, c.q.Rows*channels), make([]float64, c.q.Rows*channels)
	c.dk, c.dv = make([]float64, c.k.Rows*channels), make([]float64, c.k.Rows*channels)
	c.logs = make([]float64, c.q.Rows*c.Heads)
	for row := range c.q.Rows {
		i, query := row/c.long, row%c.long
		seen := c.short
		if c.Causal {
			seen = query + 1
		}
		for head := range c.Heads {
			lo := head * c.Width
			c.solveQuery(row, i*c.short, seen, lo, (i*c.Heads+head)*c.long+query)
		}
	}
}

func (c *attentionCase) solveQuery(row, keys, seen, lo, at int) {
	channels := c.Heads * c.Width
	w, d := make([]float64, seen), make([]float64, seen)
	sum, mean := 0.0, 0.0
	q, dOut := c.q.row(row), c.dOut.row(row)
	for j := range w {
		k, v := c.k.row(keys+j), c.v.row(keys+j)
		for x := lo; x < lo+c.Width; x++ {
			w[j] += float64(q[x]) * float64(k[x]) * float64(c.Scale)
			d[j] += float64(dOut[x]) * float64(v[x])
		}
	}
	largest := slices.Max(w)
	for j := range w {
		w[j] = math.Exp(w[j] - largest)
		sum += w[j]
	}
	c.logs[at] = largest + math.Log(sum)
	for j := range w {
		w[j] /= sum
		mean += w[j] * d[j]
	}
	for j := range w {
		g := w[j] * (d[j] - mean) * float64(c.Scale)
		k, v := c.k.row(keys+j), c.v.row(keys+j)
		for x := lo; x < lo+c.Width; x++ {
			c.out[row*channels+x] += w[j] * float64(v[x])
			c.dq[row*channels+x] += g * float64(k[x])
			c.dk[(keys+j)*channels+x] += g * float64(q[x])
			c.dv[(keys+j)*channels+x] += w[j] * float64(dOut[x])
		}
	}
}

// results are what the kernels compute.
type attentionResults struct {
	out, dq, dk, dv Sequences
	logs            []float32
}

func (c *attentionCase) run(crew *Crew) attentionResults {
	zero := func(like Sequences) Sequences {
		like.Data, like.Stride = Alloc(like.Rows*like.Cols), like.Cols
		return like
	}
	r := attentionResults{zero(c.q), zero(c.q), zero(c.k), zero(c.k), make([]float32, c.q.Rows*c.Heads)}
	c.Forward(crew, r.out, c.q, c.k, c.v, r.logs)
	c.Pullback(crew, r.dq, r.dk, r.dv, c.dOut, r.out, c.q, c.k, c.v, r.logs)
	return r
}

func (r attentionResults) all() []float32 {
	return append(append(append(append(append([]float32(nil), r.out.Data...), r.dq.Data...), r.dk.Data...), r.dv.Data...), r.logs...)
}

// near holds numbers to their exact values, relative to the root mean square of all.
func near(t *testing.T, what string, got []float32, want []float64, rms, most float64) {
	t.Helper()
	squares, errors, largest := 0.0, 0.0, 0.0
	for i, w := range want {
		e := math.Abs(float64(got[i]) - w)
		squares, errors, largest = squares+w*w, errors+e*e, max(largest, e)
		if e != e {
			largest = math.Inf(1)
		}
	}
	scale := math.Sqrt(squares / float64(len(want)))
	errors = math.Sqrt(errors / float64(len(want)))
	if !(errors <= rms*scale) || !(largest <= most*scale) {
		t.Errorf("%s: relative to the root mean square, error %.2g, at most %.2g; want %.2g and %.2g",
			what, errors/scale, largest/scale, rms, most)
	}
}

func (c *attentionCase) check(t *testing.T, crew *Crew) {
	t.Helper()
	c.solve()
	r := c.run(crew)
	what := fmt.Sprintf("%d heads of %d, causal %v, %d queries, %d keys: ", c.Heads, c.Width, c.Causal, c.long, c.short)
	near(t, what+"result", r.out.Data, c.out, 1e-6, 1e-5)
	near(t, what+"logs", r.logs, c.logs, 1e-6, 1e-5)
	near(t, what+"gradient of the queries", r.dq.Data, c.dq, 2e-6, 4e-5)
	near(t, what+"gradient of the keys", r.dk.Data, c.dk, 2e-6, 4e-5)
	near(t, what+"gradient of the values", r.dv.Data, c.dv, 2e-6, 4e-5)
}

func TestAttentionAgainstLoops(t *testing.T) {
	r, crew := rand.New(rand.NewPCG(31, 32)), NewCrew(2)
	cases := []*attentionCase{
		newAttentionCase(r, Attention{Heads: 2, Width: 40, Scale: 0.16}, 2, 50, 77),
		newAttentionCase(r, Attention{Heads: 1, Width: 64, Scale: 0.125}, 1, 200, 530),
		newAttentionCase(r, Attention{Heads: 1, Width: 64, Scale: 0.125}, 1, 500, 530),
		newAttentionCase(r, Attention{Heads: 3, Width: 5, Scale: 1}, 2, 7, 3),
		newAttentionCase(r, Attention{Heads: 1, Width: 300, Scale: 0.05}, 1, 13, 40),
		newAttentionCase(r, Attention{Heads: 2, Width: 16, Scale: 0.25, Causal: true}, 2, 450, 450),
		newAttentionCase(r, Attention{Heads: 2, Width: 17, Scale: 3, Causal: true}, 1, 77, 77),
	}
	withKind(t, func(t *testing.T) {
		for _, c := range cases {
			c.check(t, crew)
		}
	})
}

// TestAttentionOfLargeScores has scores whose exponentials are beyond float32.
func TestAttentionOfLargeScores(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(33, 34))
		c := newAttentionCase(r, Attention{Heads: 1, Width: 8, Scale: 40}, 1, 40, 600)
		c.solve()
		out := c.run(NewCrew(1))
		near(t, "result", out.out.Data, c.out, 1e-4, 1e-3) // scores of 700 have errors of 4e-5
		for i, x := range out.all() {
			if x != x {
				t.Fatalf("element %d is not a number", i)
			}
		}
	})
}

func TestAttentionGivesTheSameBitsForAnyCrew(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(35, 36))
		sameForAnyCrew(t, newAttentionCase(r, Attention{Heads: 2, Width: 20, Scale: 0.3, Causal: true}, 2, 420, 420))
		sameForAnyCrew(t, newAttentionCase(r, Attention{Heads: 1, Width: 64, Scale: 0.1}, 1, 510, 520))
	})
}

func sameForAnyCrew(t *testing.T, c *attentionCase) {
	t.Helper()
	want := c.run(NewCrew(1)).all()
	for _, size := range []int{2, 5} {
		requireSame(t, fmt.Sprintf("%d goroutines", size), c.run(NewCrew(size)).all(), want)
	}
	if selected == AVX512 {
		defer force(selected)
		force(AVX2)
		requireSame(t, "avx2 and avx512", c.run(NewCrew(2)).all(), want)
	}
}
