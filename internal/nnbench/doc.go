// Package nnbench measures the networks of package nn: typed rows, on demand
// beside the same network in PyTorch and ONNX Runtime.
//
// The machine may be shared, so a measurement is the fastest of several short ones,
// and a comparison alternates between the programs: read the ratio of a row
// rather than its time.
//
// # Errors
//
// A peer that cannot be started is a [PeerError], which says what is missing; the
// rows without it can still be measured.
package nnbench
