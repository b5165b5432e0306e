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
	NewNPZ          = newNPZ
	NewNPZWriter    = newNPZWriter
	DecodePicture   = decodePicture
	WithWholeChroma = withWholeChroma
	ReadZarr        = readZarr
	ReadReplayZarr  = readReplayZarr
)

// Append writes the next elements of an array.
func Append[T Element](w *arrayWriter, values []T) error { return w.write(values) }

func (a Array) Elements() int            { return a.elements() }
func (a Array) Int64s() ([]int64, error) { return a.int64s() }

// Rows returns the number of rows.
func (b *ReplayBuffer) Rows() int {
	if len(b.EpisodeEnds) == 0 {
		return 0
	}
	return int(b.EpisodeEnds[len(b.EpisodeEnds)-1])
}
