// Package blosc decodes the Blosc 1 container in which chunks of scientific
// arrays are commonly compressed, and the LZ4 blocks within it.
//
// A container is a header of 16 bytes, a table of block positions and the
// blocks. A block is one compressed stream, or one for each byte of an element;
// after decompression its bytes (or bits) are put back from shuffled order.
//
// The codecs lz4, lz4hc, zlib and zstd are read; blosclz and snappy are refused
// by name. Every length in the input is checked against the input and the output
// before it is used, and the output is exactly as long as the caller expects.
//
// Source: README_HEADER and the format description of c-blosc 1.21; Masui et
// al., "A compression scheme for radio data" (2015), for the bit order.
package blosc
