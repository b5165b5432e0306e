package noise

import "math/rand/v2"

// stream is a sequential view of a field: block after block of one counter.
type stream struct {
	field Field
	ctr   uint64
	id    uint64
	words [4]uint32
	left  int
}

// NewSource returns the sequence number id of a field as a source for
// [math/rand/v2]. Sequences of different ids never overlap.
func NewSource(f Field, id uint64) rand.Source { return &stream{field: f, id: id} }

// Uint64 implements [rand.Source].
func (s *stream) Uint64() uint64 {
	if s.left == 0 {
		ctr := [4]uint32{uint32(s.ctr), uint32(s.ctr >> 32), uint32(s.id), uint32(s.id >> 32)}
		s.words = philox4x32(ctr, s.field.key)
		s.ctr++
		s.left = 2
	}
	s.left--
	return uint64(s.words[2*s.left]) | uint64(s.words[2*s.left+1])<<32
}
