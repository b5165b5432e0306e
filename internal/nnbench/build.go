package nnbench

import (
	"fmt"
	"strings"
)

// Build is the PyTorch that is measured.
type Build struct {
	Python      string  `json:"python"` // the interpreter
	Torch       string  `json:"torch"`
	Threads     int     `json:"threads"`      // in force, of OpenMP
	BLAS        string  `json:"blas"`         // what multiplies matrices: OpenBLAS, MKL, reference, …
	Library     string  `json:"blas_library"` // its file; "" where it is part of PyTorch, or not known
	BLASThreads int     `json:"blas_threads"` // that it has of its own; 0 are those of OpenMP
	GFLOPS      float64 `json:"gflops"`       // of products of matrices of 1024×1024
	OneDNN      bool    `json:"onednn"`
}

// referenceBLAS is the name of the library that is written to be read.
const referenceBLAS = "reference"

// String describes the build on one line.
func (b Build) String() string {
	library, dnn := b.BLAS, "oneDNN"
	if b.BLAS == referenceBLAS {
		library = "the reference BLAS"
	}
	if b.Library != "" {
		library += " (" + b.Library + ")"
	}
	if !b.OneDNN {
		dnn = "no oneDNN"
	}
	return fmt.Sprintf("PyTorch %s, %d threads, %s, matrices by %s: %.0f GFLOP/s at 1024×1024", b.Torch, b.Threads, dnn, library, b.GFLOPS)
}

// Warnings says what makes the build slower than PyTorch has to be, each with its remedy.
func (b Build) Warnings() []string {
	var w []string
	switch {
	case b.BLAS == referenceBLAS:
		w = append(w, fmt.Sprintf("PyTorch multiplies matrices by the reference BLAS (%s), tens of times slower than it could: "+
			"linear layers and attention are no fair comparison; install OpenBLAS (apt-get install libopenblas0-openmp)", b.Library))
	case b.BLASThreads > 1 && strings.EqualFold(b.BLAS, "OpenBLAS"):
		w = append(w, fmt.Sprintf("PyTorch's OpenBLAS (%s) has %d threads of its own, which hinder those of OpenMP; "+
			"a build that shares them is a fairer comparison (apt-get install libopenblas0-openmp)", b.Library, b.BLASThreads))
	}
	if !b.OneDNN {
		w = append(w, "PyTorch has no oneDNN here: convolutions are no fair comparison; install a build with it (pip install torch)")
	}
	return w
}
