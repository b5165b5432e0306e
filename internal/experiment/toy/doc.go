// Package toy is the two-blocks example: a big and a small block on a line must
// fit into a corridor without overlapping. Each has a Gaussian prior for its
// centre; coupling pushes the centres apart, projection keeps the blocks between
// the walls.
//
// [Run] draws pairs with one of the published methods, [Summarise] counts what
// they achieve, [Verify] checks numerically that classifier guidance and
// projected diffusion are special cases of projected coupled diffusion.
//
// Source: PCD, section 4 and appendix C.1.
package toy
