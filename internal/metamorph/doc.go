// Package metamorph draws random requests and runs each of them in ways that must not
// matter: with other numbers of goroutines and other kernels, with robots in another order,
// moved, turned, scaled, in other units, with a robot far from all others. Bits are compared
// where they are promised and verdicts elsewhere; both judges look at every plan. Requests
// for pairs of manipulation, of images and of two blocks are run with other goroutines and
// among other pairs. A case that fails is made smaller as long as it fails, and written out
// as a scene, or as a request in JSON.
//
//	go test ./internal/metamorph -args -metamorph.cases 500 -metamorph.seed 7 -metamorph.keep out
package metamorph
