// Package portrait draws people: the data of the image experiment, made by the
// program itself.
//
// A [Photo] is a [Person], what stays the same over a life, at an age and in a
// setting: pose, light, background, clothes. Age is a number of years and acts
// through [Ageing]: hair greys and recedes, skin folds and sags, lids droop. The same
// person in the same setting at two ages gives two pictures that differ in nothing
// else.
//
//	photos := portrait.Album{Seed: 1}
//	p := photos.At(17)          // photo 17 of the album, always the same
//	p.Age = 72
//	p.Render(picture, 128)      // 128 × 128 × 3 numbers in [0, 1]
//
// # Randomness
//
// Photo i of an album is a function of (seed, i) alone, see package noise.
//
// # Coordinates
//
// Shapes are drawn in units of the picture: x to the right and y down, both from -1
// to 1. Coverage of a pixel by a shape is exact, so pictures of different sizes show
// the same scene.
//
// # Errors
//
// Nothing here fails; arrays of the wrong size panic.
package portrait
