// Package pickle reads the data out of Python pickles of protocol 2 to 5 without
// running any of the program that a pickle is.
//
// A pickle is a program for a stack machine whose instructions include "import
// this name" and "call it". [Read] runs the instructions that build plain data
// (numbers, text, tuples, lists, dictionaries) and treats the others as
// descriptions: an imported name becomes a [Global], which is two strings, and
// what calling it would have made becomes an inert [Object], which remembers
// only the name of its class. The reader of a format gives the few names it
// knows a meaning through a [Resolver].
//
// # Memory
//
// Every instruction costs at most a fixed number of bytes plus its own
// argument, so memory is bounded by the length of the pickle: below 200 bytes
// for each byte in the worst case. Nothing recurses. Values may refer to
// themselves, as Python's may; whoever walks them has to watch for cycles.
//
// # Errors
//
// Anything that Python would refuse, and everything of protocols 0 and 1, is an
// [Error] with the position and the instruction.
//
// Source: the comments of Python's own Lib/pickletools.py describe each
// instruction.
package pickle
