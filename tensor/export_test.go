package tensor

// What tests of this package name from outside.
type ShapeError = shapeError
