package nn

// What tests of this package name from outside.
type ConditionalUNet1DArchitecture = conditionalUNet1DArchitecture
