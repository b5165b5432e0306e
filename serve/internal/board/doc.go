// Package board is the drawing board of the service: a page on which scenes are drawn,
// planned while they change, and played. Nothing of it is built or fetched at run time.
package board
