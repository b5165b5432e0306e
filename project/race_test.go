//go:build race

package project

// allocations is how many of them a row may cost: the race detector makes pools drop
// a quarter of what they are given, and scratch consists of up to six parts.
const allocations = 6. / 4
