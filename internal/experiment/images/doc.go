// Package images runs the experiments on pairs of images: it evaluates the methods of
// package pair cell by cell, prints the tables beside the published ones, and draws what
// the paper draws.
//
// A [Cell] is a method with some exemplars for each image of a pair. It grows by batches:
// the pairs of one seed, as many as a published run has. Pairs are independent of each
// other, given the exemplars; what belongs to a batch as a whole, its diversity and its
// Fréchet distance, has seeds as its independent units.
//
// What images look like is measured by [Networks]: the published networks where there are
// files of them, and the judge of the model elsewhere. Numbers of one say nothing about
// numbers of the other, and results say which they are.
package images
