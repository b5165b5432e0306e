package cost

// What tests of this package name from outside.
type ParameterError = parameterError
