// Package experiment holds what all experiments share: who ran what where
// ([Manifest], [Machine]), and the files beside the results.
package experiment
