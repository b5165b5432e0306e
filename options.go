package pcd

import "github.com/go-pcd/pcd/noise"

// Options says how many samples to draw and how. Only Samples must be set.
type Options struct {
	Samples int          // tuples to draw
	First   int          // sample number of the first tuple; shards of a run use different ranges
	Seed    uint64       // of the random field
	Noise   noise.Source // replaces the field of Seed when not nil
	// Workers is the number of goroutines; 0 is one per processor. They share the tuples, and where
	// these are few enough to be moved together, the models of their variables. The samples are the same.
	Workers  int
	Observer Observer // called after every step; may be nil
	// ChunkSize is the number of tuples that one goroutine moves at a time; 0 lets
	// the sizes of the variables decide. It does not change the samples.
	ChunkSize int
}
