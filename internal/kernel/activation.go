package kernel

// Exp writes exp(x) for x in [-87, 88], and the value at the nearer end outside.
// The relative error is below 1.5 units in the last place.
func Exp(dst, x []float32) { unary(opExp, dst, x) }

// Mish writes x tanh(log(1 + exp x)); the relative error is below 5 units in the
// last place for x ≥ -87. Source: Misra, "Mish: a self regularized non-monotonic
// activation function" (2019).
func Mish(dst, x []float32) { unary(opMish, dst, x) }

// SiLU writes x/(1 + exp(-x)); the relative error is below 5 units in the last
// place for x ≥ -87.
func SiLU(dst, x []float32) { unary(opSiLU, dst, x) }

// MishGrad writes dy mish'(x); the absolute error of mish' is below 5e-7.
func MishGrad(dst, x, dy []float32) { binary(opMishGrad, dst, x, dy) }

// SiLUGrad writes dy silu'(x); the absolute error of silu' is below 5e-7.
func SiLUGrad(dst, x, dy []float32) { binary(opSiLUGrad, dst, x, dy) }

func unary(op op, dst, x []float32) {
	if len(dst) != len(x) {
		panic("kernel: arrays of different lengths")
	}
	if len(x) == 0 {
		return
	}
	if active == Portable {
		portableUnary(op, dst, x)
		return
	}
	s := sweepOf(Vector(dst), Vector(x))
	runSweep(op, &s)
}

func binary(op op, dst, x, y []float32) {
	if len(dst) != len(x) || len(y) != len(x) {
		panic("kernel: arrays of different lengths")
	}
	if len(x) == 0 {
		return
	}
	if active == Portable {
		portableGrad(op, dst, x, y)
		return
	}
	s := sweepOf(Vector(dst), Vector(x), Vector(y))
	runSweep(op, &s)
}
