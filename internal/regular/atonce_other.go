//go:build !unix

package regular

// atOnce is not needed where opening never waits.
const atOnce = 0
