// Package scenes draws random scenes for robots, and moves, turns and scales them. Nothing that it makes
// needs rounding when it is scaled by a power of two. A scene that shows a fault is made smaller as long as it does.
package scenes
