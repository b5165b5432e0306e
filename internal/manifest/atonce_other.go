//go:build !unix

package manifest

// atOnce is not needed where opening never waits.
const atOnce = 0
