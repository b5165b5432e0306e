//go:build !race

package project

// allocations is how many of them a row may cost: scratch comes from pools.
const allocations = 0.0
