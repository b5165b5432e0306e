// Command asm writes the assembly of package kernel. It is a module of its own so
// that the generator's dependencies stay out of the root module; go generate in
// package kernel runs it, one family of kernels a file.
package main

import (
	"flag"

	"github.com/mmcloughlin/avo/build"
)

func main() {
	family := flag.String("family", "", "kernels to write: product, norm, activation, optimizer, normal, clamp, filter, planar, pack, gate, row, amx, dots, chain, span, processor")
	flag.Parse()
	build.ConstraintExpr("amd64,!purego")
	for _, v := range []isa{avx512, avx2} {
		setKernels(*family, v)
	}
	singleKernels(*family)
	build.Generate()
}

// setKernels writes the kernels of a family that there are for each instruction set.
func setKernels(family string, v isa) {
	switch family {
	case "product":
		product(v)
		transposedProduct(v)
		gather(v)
		peak(v)
	case "norm":
		sums(v)
		squares(v)
		normActivations(v)
		normGradients(v)
		affine(v)
	case "activation":
		activations(v)
	case "optimizer":
		adam(v)
	case "clamp":
		clamp(v)
	case "filter":
		filters(v)
	case "planar":
		planars(v)
		planarGradients(v)
	case "gate":
		gates(v)
		normGates(v)
		rectifiers(v)
	case "row":
		rowKernels(v)
		softmax(v)
	case "pack":
		packs(v)
	case "dots":
		dots(v)
	case "normal":
		normals(v)
	}
}

// singleKernels writes those of a family that there are once.
func singleKernels(family string) {
	switch family {
	case "processor":
		processor()
	case "pack":
		prefetches()
	case "amx":
		splitLeft()
		splitRight()
		amxProduct()
	case "chain":
		chainSurvey()
		chainRelax()
		chainPredict()
		chainStep()
		chainRound()
	case "span":
		spans()
	}
}
