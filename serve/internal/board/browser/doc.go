// Package browser draws, plans and plays on the drawing board in Chromium, with pointer and
// keys, and looks at what is there. It is a module of its own, so that the program needs
// nothing of it.
package browser
