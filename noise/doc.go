// Package noise gives random numbers that have an address instead of a position
// in a stream.
//
// A [Field] is a pure function from (variable, sample, draw, element) to a
// standard normal number. Nothing is consumed and nothing is kept, so sample 17
// of a run is the same, bit for bit, whatever the batch size, the number of
// goroutines or the shard that computes it. Bits come from Philox4x32-10, the
// counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3" (SC 2011); normals from the inverse of the normal
// distribution function, one 32-bit word each.
//
// [NewSource] offers the same bits as a sequential source for [math/rand/v2],
// for code that draws a number of values it does not know in advance.
//
// The values behind an address are frozen: tests hold a part of the field, and
// a change of them is a breaking change.
package noise
