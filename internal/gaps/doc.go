// Package gaps says how far things of the plane keep from each other, and never says too
// much: a gap comes with a direction that shows it, and is rounded to the safe side, see
// [Rounding]. Things are segments, hulls of spans of curves, convex regions and borders.
//
// Functions are pure, allocate nothing and have no errors.
package gaps
