//go:build !unix

package nnbench

import "time"

// processorTime returns 0 where it is not known.
func processorTime() time.Duration { return 0 }
