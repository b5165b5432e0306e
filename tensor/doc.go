// Package tensor holds batches of samples: contiguous float32 arrays that know
// the shape of one sample and which samples of a run they hold.
//
// It is a memory layout, not an arithmetic framework: packages that compute
// write their own loops over [Batch.Data].
//
// # Memory
//
// A [Batch] is a small value that refers to its data, as a slice does: copying
// the Batch shares the numbers. [Batch.Rows] and [Batch.Sample] are views;
// [Batch.Clone] is the only method that copies numbers into new memory.
// Elements are sample-major and row-major within a sample.
//
// # Errors
//
// Data that does not fit its shape and numbers that are not finite are errors
// (the latter a [NonFiniteError]), because both can come from files. Views out
// of range panic, as slicing does.
package tensor
