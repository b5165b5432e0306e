// Package weights reads the parameters of trained networks from safetensors files
// and PyTorch state dicts, and writes safetensors.
//
// [Open] finds out the format of a file and returns a [StateDict]: named tensors
// in file order. [Load] copies them into the parameters of a network and insists
// that names and shapes agree; [Check] compares them before the network is made.
// [StateDict.Summary] describes a file and [Convert] rewrites it as safetensors. The package
// knows no networks: which tensors one has is known to the network.
//
// # Memory
//
// A file is mapped into memory where the operating system can, and read whole
// elsewhere; opening decodes no numbers. A tensor is decoded when it is asked
// for, into the caller's slice or a new one, so nothing of the file outlives
// [StateDict.Close]. A file that others shorten while it is open is an error of the
// tensors that are read then, a [FormatError]. Memory beyond the file itself is bounded by its
// length.
//
// # Safety
//
// Files may come from anywhere. Nothing in them is executed: PyTorch's pickles
// are read as data, and every class or function that is not a tensor is refused
// by name. Sizes, offsets, checksums and duplicate names are
// checked before a number is read.
//
// # Errors
//
// A malformed file is a [FormatError], which wraps what was found; a
// network that does not fit is a [LoadError] that lists every tensor concerned.
// Only a destination slice of the wrong length panics.
package weights
