package dataset

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/internal/pcg64"
)

// maxEpisodes is the number of episodes up to which NumPy's choice is reproduced.
const maxEpisodes = 10_000

// Split holds back a fraction of the episodes for validation, at least one and
// never all; fraction 0 holds back none. It returns which episodes are trained
// on, as [WindowOptions].Keep takes it. The choice is that of the published
// training code: NumPy's default_rng(seed).choice without replacement.
//
// Source: Chi et al., "Diffusion Policy" (RSS 2023), sampler.
func Split(episodes int, fraction float64, seed uint32) (train []bool, err error) {
	switch {
	case episodes < 0 || episodes > maxEpisodes:
		return nil, &windowError{"episodes", episodes, fmt.Sprintf("0 to %d", maxEpisodes)}
	case !(fraction >= 0 && fraction <= 1):
		return nil, &FormatError{Reason: fmt.Sprintf("validation fraction %v, want 0 to 1", fraction)}
	}
	held := 0
	if fraction > 0 {
		held = min(max(1, int(math.RoundToEven(float64(episodes)*fraction))), max(0, episodes-1))
	}
	train = pcg64.New(seed).Choose(episodes, held)
	for i, taken := range train {
		train[i] = !taken
	}
	return train, nil
}
