package nnbench

import (
	"fmt"
	"regexp"
	"strings"
)

// Build is the PyTorch that is measured.
type Build struct {
	Python      string `json:"python"` // the interpreter
	Torch       string `json:"torch"`
	Threads     int    `json:"threads"`      // in force, of OpenMP
	BLAS        string `json:"blas"`         // what multiplies matrices: OpenBLAS, MKL, reference, …
	Library     string `json:"blas_library"` // its file; "" where it is part of PyTorch, or not known
	BLASThreads int    `json:"blas_threads"` // that it has of its own; 0 are those of OpenMP
	// ThreadsLibrary is the file of the library whose threads these are: that of another
	// build, perhaps. "" where there are none, or it is not known.
	ThreadsLibrary string  `json:"blas_threads_library"`
	GFLOPS         float64 `json:"gflops"` // of products of matrices of 1024×1024
	OneDNN         bool    `json:"onednn"`
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
		w = append(w, fmt.Sprintf("PyTorch's OpenBLAS (%s) has %d threads of its own, which hinder those of OpenMP; %s", b.engine(), b.BLASThreads, b.sharing()))
	}
	if !b.OneDNN {
		w = append(w, "PyTorch has no oneDNN here: convolutions are no fair comparison; install a build with it (pip install torch)")
	}
	return w
}

// engine names the files of OpenBLAS: two, where one hands its work to another.
func (b Build) engine() string {
	if b.ThreadsLibrary == "" || b.ThreadsLibrary == b.Library {
		return b.Library
	}
	return b.Library + " with the threads of " + b.ThreadsLibrary
}

// debian matches the files of Debian's builds of OpenBLAS.
var debian = regexp.MustCompile(`^/usr/lib/([^/]+)/openblas-[a-z]+/`)

// sharing is the remedy for threads of its own. Debian chooses libblas.so.3, which PyTorch
// calls, and libopenblas.so.0, to which that hands its work, each by itself, and prefers
// the builds with threads where several are installed.
func (b Build) sharing() string {
	place := debian.FindStringSubmatch(b.Library)
	if place == nil {
		return "a build that shares them (USE_OPENMP=1) is a fairer comparison"
	}
	remedy := "for a fair comparison install the build that shares them, and choose it for both of its libraries: apt-get install libopenblas0-openmp"
	for _, name := range []string{"libblas.so.3", "libopenblas.so.0"} {
		remedy += fmt.Sprintf(" && update-alternatives --set %s-%s /usr/lib/%s/openblas-openmp/%s", name, place[1], place[1], name)
	}
	return remedy
}
