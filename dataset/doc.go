// Package dataset reads and writes the arrays that networks are trained on and
// that runs leave behind: NumPy files, recorded trajectories and replay buffers,
// with the statistics that normalise them.
//
//   - [OpenNPZ], [ReadNPY], [WriteNPZ]: NumPy arrays
//   - [OpenReplay]: replay buffers of manipulation demonstrations, as zarr
//     folders or npz files, and [NewWindows], the windows a policy learns from
//   - [ReadPicture]: PNG and JPEG files, resized and scaled as published
//   - [Limits] and [Linear]: the two normalisers of the published experiments
//
// # Memory
//
// An [Array] owns its numbers. Readers allocate what a file declares after
// checking it against the file's length and [ReadOptions]; writers stream.
//
// # Errors
//
// A malformed file, a missing array, numbers of the wrong type and damaged episodes are a
// [FormatError]. No function panics on what it reads.
package dataset
