package noise

// What tests of this package name from outside.
var Philox4x32 = philox4x32
