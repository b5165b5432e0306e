package projectbench

import (
	"math"
	"time"

	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/tensor"
)

// DenseLU is the yardstick: the published ADMM iteration the straightforward way.
// Its linear system is a dense matrix, factored once by LU and solved for all
// paths of the batch in every iteration, as the reference does; the solve runs
// along the batch, which is the fastest order of its loops. It stops for the
// whole batch at once.
type DenseLU struct {
	n       int
	options published.ADMMOptions
	lu      []float32 // [n, n], unit lower and upper factor in one

	// Fastest is the shortest time that an iteration of the last Project took, for
	// the whole batch. On a machine that does other things too, it times the
	// number of iterations is a fairer measure than the time from start to end.
	Fastest time.Duration
}

// NewDenseLU factors the system for paths of n points.
func NewDenseLU(n int, o published.ADMMOptions) *DenseLU {
	y := &DenseLU{n: n, options: o, lu: make([]float32, n*n)}
	rho := float32(o.Penalty)
	for i := range n {
		y.lu[i*n+i] = 1 + 2*rho
		if i == n-1 {
			y.lu[i*n+i] = 1 + rho
		}
		if i > 0 {
			y.lu[i*n+i-1], y.lu[(i-1)*n+i] = -rho, -rho
		}
	}
	// The matrix is symmetric and diagonally dominant: no pivoting.
	for k := range n {
		for i := k + 1; i < n; i++ {
			f := y.lu[i*n+k] / y.lu[k*n+k]
			y.lu[i*n+k] = f
			for j := k + 1; j < n; j++ {
				y.lu[i*n+j] -= f * y.lu[k*n+j]
			}
		}
	}
	return y
}

// Project writes the projection of the paths x, [n, 2] each, from the points
// start, and returns the iterations done by every path.
func (y *DenseLU) Project(dst, x, start tensor.Batch, limit float64) (iterations int) {
	n, cols := y.n, 2*x.N // one column per path and coordinate
	target, b := columns(x, n), columns(start, 1)
	sol, z, u := make([]float32, n*cols), make([]float32, n*cols), make([]float32, n*cols)
	y.Fastest = math.MaxInt64
	for {
		for range y.options.CheckPeriod {
			began := time.Now()
			y.solve(sol, target, z, u, b, cols)
			clip(sol, z, u, b, cols, float32(limit))
			y.Fastest = min(y.Fastest, time.Since(began))
		}
		iterations += y.options.CheckPeriod
		if iterations >= y.options.MaxIterations || worst(sol, z, b, cols) <= y.options.Tolerance {
			break
		}
	}
	for k := range x.N {
		for h := range n {
			copy(dst.Sample(k)[2*h:2*h+2], sol[h*cols+2*k:h*cols+2*k+2])
		}
	}
	return iterations
}

// columns returns the coordinates of x as a matrix [point, path·2+coordinate].
func columns(x tensor.Batch, n int) []float32 {
	out := make([]float32, n*2*x.N)
	for k := range x.N {
		for h := range n {
			copy(out[h*2*x.N+2*k:], x.Sample(k)[2*h:2*h+2])
		}
	}
	return out
}

// solve sets x to the solution for the right-hand side x̂ + ρDᵀ(z + b − u).
func (y *DenseLU) solve(x, target, z, u, b []float32, cols int) {
	n, rho := y.n, float32(y.options.Penalty)
	for h := range n {
		row, zh, uh := x[h*cols:(h+1)*cols], z[h*cols:], u[h*cols:]
		for c := range row {
			v := zh[c] - uh[c]
			if h == 0 {
				v += b[c]
			}
			if h+1 < n {
				v -= zh[cols+c] - uh[cols+c]
			}
			row[c] = target[h*cols+c] + rho*v
		}
	}
	for i := range n {
		row := x[i*cols : (i+1)*cols]
		for j := range i {
			subtract(row, x[j*cols:(j+1)*cols], y.lu[i*n+j])
		}
	}
	for i := n - 1; i >= 0; i-- {
		row := x[i*cols : (i+1)*cols]
		for j := i + 1; j < n; j++ {
			subtract(row, x[j*cols:(j+1)*cols], y.lu[i*n+j])
		}
		inv := 1 / y.lu[i*n+i]
		for c := range row {
			row[c] *= inv
		}
	}
}

func subtract(dst, src []float32, f float32) {
	for c := range dst {
		dst[c] -= f * src[c]
	}
}

// clip updates z and u.
func clip(x, z, u, b []float32, cols int, limit float32) {
	before := b
	for at := 0; at < len(x); at += cols {
		row, zh, uh := x[at:at+cols], z[at:at+cols], u[at:at+cols]
		for c := 0; c < cols; c += 2 {
			dx, dy := row[c]-before[c], row[c+1]-before[c+1]
			wx, wy := dx+uh[c], dy+uh[c+1]
			length := float32(math.Sqrt(float64(wx*wx + wy*wy)))
			f := min(1, limit/(length+1e-10))
			zh[c], zh[c+1] = f*wx, f*wy
			uh[c] += dx - zh[c]
			uh[c+1] += dy - zh[c+1]
		}
		before = row
	}
}

// worst returns the largest primal residual of a path.
func worst(x, z, b []float32, cols int) float64 {
	most := 0.0
	for c := 0; c < cols; c += 2 {
		sum, before := 0.0, b[c:]
		for at := c; at < len(x); at += cols {
			ex, ey := x[at]-before[0]-z[at], x[at+1]-before[1]-z[at+1]
			sum += float64(ex*ex + ey*ey)
			before = x[at:]
		}
		most = max(most, sum)
	}
	return math.Sqrt(most)
}
