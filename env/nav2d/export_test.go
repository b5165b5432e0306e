package nav2d

import "github.com/go-pcd/pcd/internal/field"

// What tests of this package name from outside.
type (
	CrowdedError     = crowdedError
	MoreError        = moreError
	OptionError      = optionError
	ShapeError       = shapeError
	Straight         = straightPattern
	UnknownNameError = unknownNameError
)

// Grid returns the sampled distance field of the obstacles.
func (m *Map) Grid() *field.Grid { return m.grid() }
