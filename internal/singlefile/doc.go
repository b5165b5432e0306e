// Package singlefile reads and writes latent diffusion models that are one file: the
// networks of Stable Diffusion 1 and 2 under the names that their authors gave them.
//
// [Parse] divides the tensors of a file among the parts that a folder of the library
// diffusers has, under the names that they have there, and describes the networks from the
// shapes. [Join] is the way back. No number is changed: both ways, a tensor keeps its
// element type and its bits.
//
// A tensor that is neither of a network nor known to be of a training is an [Error] that
// names it, as is a model of another family.
//
// Source: the programs of Rombach et al. (2022) and OpenCLIP for the names of files, the
// library diffusers for those of folders.
package singlefile
