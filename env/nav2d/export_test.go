package nav2d

// What tests of this package name from outside.
type (
	CrowdedError     = crowdedError
	MoreError        = moreError
	OptionError      = optionError
	ShapeError       = shapeError
	Straight         = straightPattern
	UnknownNameError = unknownNameError
)
