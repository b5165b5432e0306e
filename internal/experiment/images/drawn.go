package images

import (
	"context"

	"github.com/go-pcd/pcd/internal/pair"
)

// drawing names pairs that do not depend on exemplars.
type drawing struct {
	Cell // with as much as they depend on
	seed uint64
}

// drawingOf returns the name of the pairs of a cell and a seed, and whether the method
// draws the same for all exemplars.
func drawingOf(c Cell, seed uint64) (drawing, bool) {
	c.Exemplars, c.Seeds, c.FirstSeed, c.Same = 0, 0, 0, OwnExemplars
	return drawing{c, seed}, !c.Method.Projected() && !c.Method.Steered()
}

// draw draws the pairs of a seed. Those of a method that does not look at exemplars are
// drawn once for all numbers of them: they are kept until the evaluation ends.
func (s *source) draw(ctx context.Context, c Cell, r pair.Request) (*pair.Result, error) {
	name, keep := drawingOf(c, r.Seed)
	if kept, ok := s.drawn[name]; ok && keep {
		return kept, nil
	}
	drawn, err := pair.Do(ctx, r)
	if err != nil || !keep {
		return drawn, err
	}
	drawn.Frames = nil // large, and nobody looks at them
	s.drawn[name] = drawn
	return drawn, nil
}
