package dataset

// What tests of this package name from outside.
type (
	WindowError  = windowError
	KeyError     = keyError
	TypeError    = typeError
	ShapeError   = shapeError
	LimitError   = limitError
	RangeError   = rangeError
	EpisodeError = episodeError
)

var (
	NewNPZ         = newNPZ
	ReadZarr       = readZarr
	ReadReplayZarr = readReplayZarr
)
