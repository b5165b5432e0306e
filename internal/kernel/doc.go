// Package kernel holds the arithmetic of package nn: matrix products whose left
// matrix may have overlapping rows, and passes over activations that fuse group
// normalisation, Mish, feature-wise modulation and residual sums. For package
// project, [Chains] solves four mechanisms side by side and [Dot3] and its like work
// on long vectors, in float64.
//
// # Layout
//
// Activations are channels last: a sample is a matrix with a row per time step and
// a column per channel. With zero rows before and after it, a convolution is a
// product whose left rows overlap: row h starts at h·C and has k·C elements. The
// right matrix, the weights, is packed once in [Panels]; the left one is read
// where it lies, through [Rows]. Convolutions of five taps are computed from the same
// rows by minimal filtering, in [Filter].
//
// # Images and sequences
//
// [Images] are channels last, too. [Conv], [Linear], [Attention], [GroupNorm] and
// [LayerNorm] are operations on whole arrays: a [Crew] of goroutines shares the tasks of
// each, so that a single image uses all cores. They take weights as a [Tensor], where
// they lie and in the precision of their file, and pack them task by task: packed
// weights need no memory. Convolutions of 3×3 taps may use minimal filtering in two
// dimensions, attention never stores more than a block of its scores.
//
// # Determinism
//
// Every element of a product is one accumulator summed in ascending order of the
// inner index, so it does not depend on the number of rows, on where the row falls
// in a tile or on which goroutine computes it. Sums over pixels, keys or rows are
// joined in a fixed order. AVX2 and AVX-512 kernels do the
// same fused multiply-adds in the same order and give the same bits. Matrix tiles (AMX)
// compute large products of images from three pieces of every number, with no larger
// error but other bits; sequences do not use them. The portable
// kernels round products and sums separately and agree within the bound that
// their test states.
//
// # Selection
//
// The kind is chosen at start from the features of the CPU; the environment
// variable PCD_KERNEL overrides it (portable, avx2, avx512, amx). [Selected] reports
// the choice, and an error when the override could not be honoured. The build tag
// purego and other architectures leave only the portable kernels.
//
// # Memory
//
// Kernels allocate nothing; operations of a crew keep the memory they work in for the
// next, and what their tasks have in common (share). Slices of activations come from
// [Alloc], which aligns them to a cache line and leaves [Slack] elements that vector loads
// may touch.
// Wrong sizes panic: they are mistakes of the caller.
//
// # Map
//
// A kernel in assembly belongs to a family, which the generator in asm writes as one file.
// What calls it is an operation in Go; the portable form is beside it, in the file named here
// with the ending _portable or in the same one.
//
//	family     operations                                     called from              generator                        instruction sets
//	product    product, transposed product, gather, peak      product.go, outersum.go  product.go, transposed.go        AVX2, AVX-512
//	norm       statistics, normalisation with Mish, affine    norm.go                  norm.go                          AVX2, AVX-512
//	activation Mish, SiLU, exponential, sum                   activation.go            activation.go                    AVX2, AVX-512
//	gate       GELU, GEGLU, normalisation with SiLU, ReLU     activate.go, rectify.go  gate.go, rectify.go              AVX2, AVX-512
//	row        group and layer normalisation, softmax         row.go, softmax.go       row.go, softmax.go               AVX2, AVX-512
//	filter     minimal filtering of five taps                 filter.go                filter.go                        AVX2, AVX-512
//	planar     minimal filtering of 3×3 taps, its gradient    planar_run.go            planar.go, planargradient.go     AVX2, AVX-512
//	pack       transposition of weights, half precision       transpose_vector.go      pack.go                          AVX2, AVX-512
//	amx        pieces of numbers, products of matrix tiles    split.go                 amx.go, split.go                 AMX with AVX-512
//	dots       inner products with weights as they lie        dots.go                  dots.go                          AVX2, AVX-512
//	optimizer  Adam                                           adam.go                  activation.go                    AVX2, AVX-512
//	normal     normal numbers of addressed noise              normal.go                normal.go                        AVX-512
//	clamp      bounds of boxes                                clamp.go                 clamp.go                         AVX2, AVX-512
//	chain      four chains of a speed limit                   chains.go                chain.go, chainstart.go, …       AVX2
//	span       sums over long vectors in float64              span.go                  span.go                          AVX2
//	processor  the features of the processor                  processor_amd64.go       processor.go                     any
//
// All generators share main.go (families), isa.go (widths of vectors) and sweep.go (loops over
// rows and columns). Kernels that set and kernels that add to what is there come from one
// generator with a switch, and are one operation in Go.
//
// Go generate writes the assembly and then, by asm/glue, what stands between it and Go: the
// offsets of fields (asm/layout.go), the declarations (stubs_amd64.go) and the functions that
// call kernels by the number of an operation (operations_amd64.go). By hand are the choice of a
// tile by its rows (dispatch_amd64.go) and the builds without assembly (dispatch_other.go).
package kernel

//go:generate go -C asm run ./glue
//go:generate go -C asm run . -family product -out ../product_amd64.s -pkg kernel
//go:generate go -C asm run . -family processor -out ../processor_amd64.s -pkg kernel
//go:generate go -C asm run . -family norm -out ../norm_amd64.s -pkg kernel
//go:generate go -C asm run . -family activation -out ../activation_amd64.s -pkg kernel
//go:generate go -C asm run . -family optimizer -out ../optimizer_amd64.s -pkg kernel
//go:generate go -C asm run . -family normal -out ../normal_amd64.s -pkg kernel
//go:generate go -C asm run . -family clamp -out ../clamp_amd64.s -pkg kernel
//go:generate go -C asm run . -family filter -out ../filter_amd64.s -pkg kernel
//go:generate go -C asm run . -family planar -out ../planar_amd64.s -pkg kernel
//go:generate go -C asm run . -family pack -out ../pack_amd64.s -pkg kernel
//go:generate go -C asm run . -family gate -out ../gate_amd64.s -pkg kernel
//go:generate go -C asm run . -family row -out ../row_amd64.s -pkg kernel
//go:generate go -C asm run . -family amx -out ../amx_amd64.s -pkg kernel
//go:generate go -C asm run . -family dots -out ../dots_amd64.s -pkg kernel
//go:generate go -C asm run . -family chain -out ../chain_amd64.s -pkg kernel
//go:generate go -C asm run . -family span -out ../span_amd64.s -pkg kernel
//go:generate go -C asm run ./glue
