package nn

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/quote"
)

// ConfigError says which field of a configuration makes no network.
type ConfigError struct {
	Network, Field, Got, Want string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("nn: %s: %s is %s, want %s", e.Network, quote.Text(e.Field), quote.Text(e.Got), e.Want)
}

// timestepError says that a timestep is negative.
type timestepError struct{ Timestep int }

func (e *timestepError) Error() string {
	return fmt.Sprintf("nn: timestep %d, want 0 or more", e.Timestep)
}

// conditionError says that a sample has no row in the bound condition.
type conditionError struct {
	Sample   int // sample number
	Lo, Hi   int // the samples that have a condition are Lo ... Hi-1
	Channels int // numbers of a row, and what the network wants, if they differ
	Want     int
}

func (e *conditionError) Error() string {
	if e.Channels != e.Want {
		return fmt.Sprintf("nn: a condition has %d numbers per sample, the network wants %d", e.Channels, e.Want)
	}
	return fmt.Sprintf("nn: sample %d has no condition; those bound are for samples %d to %d", e.Sample, e.Lo, e.Hi-1)
}
