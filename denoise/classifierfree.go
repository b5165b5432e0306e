package denoise

import "fmt"

// ClassifierFree returns the model guided towards a condition without a classifier:
// the prediction of the unconditional model, moved by scale times its difference
// to that of the conditional one,
//
//	p_u + scale (p_c − p_u).
//
// Scale 1 is the conditional model, 0 the unconditional one; more than 1
// exaggerates the condition, less than 0 avoids it. Both models have one shape and
// predict one kind, whichever. The result is a [VJPer] or a [Linearizer] when both
// models are.
//
// Source: Ho and Salimans, "Classifier-free diffusion guidance" (2022), equation 6
// with w = scale − 1.
func ClassifierFree(conditional, unconditional Denoiser, scale float64) (Denoiser, error) {
	const what = "classifier-free guidance"
	switch {
	case conditional == nil || unconditional == nil:
		return nil, fmt.Errorf("denoise: %s: a model is missing, want the conditional and the unconditional one", what)
	case scale == 1:
		return conditional, nil
	case scale == 0:
		return unconditional, nil
	}
	return compose(what, []Denoiser{conditional, unconditional}, []float64{scale, 1 - scale})
}
