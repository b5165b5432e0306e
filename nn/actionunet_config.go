package nn

import (
	"fmt"

	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/weights"
)

// ActionUNetConfig describes an [ActionUNet]. The zero value, with the sizes of actions and
// of the condition, is the network of the published policies of the library LeRobot.
type ActionUNetConfig struct {
	Horizon      int           // actions of a sequence; 0 is 16. A multiple of 2^(levels-1)
	ActionDim    int           // numbers per action; 0 is 2
	ConditionDim int           // numbers of the global condition; 0 is 132
	DownDims     []int         // channels by level; nil is 512, 1024, 2048
	Kernel       int           // taps of the convolutions, odd; 0 is 5
	Groups       int           // groups of the normalisations, a divisor of all channels; 0 is 8
	TimeDim      int           // width of the timestep embedding, even; 0 is 128
	ShiftOnly    bool          // the condition shifts, but does not scale
	Prediction   schedule.Kind // what the network predicts
	Workers      int           // goroutines that share every operation; 0 is GOMAXPROCS
}

func (c ActionUNetConfig) withDefaults() ActionUNetConfig {
	if c.DownDims == nil {
		c.DownDims = []int{512, 1024, 2048}
	}
	for v, d := range map[*int]int{&c.Horizon: 16, &c.ActionDim: 2, &c.ConditionDim: 132, &c.Kernel: 5, &c.Groups: 8, &c.TimeDim: 128} {
		if *v == 0 {
			*v = d
		}
	}
	return c
}

// finalGroups are the groups of the last normalisation, whatever those of the others are.
const finalGroups = 8

// check returns an error for sizes that make no network.
func (c ActionUNetConfig) check() error {
	bad := func(field string, got any, want string) error {
		return &ConfigError{"ActionUNet", field, fmt.Sprint(got), want}
	}
	if len(c.DownDims) < 1 || len(c.DownDims) > maxLevels {
		return bad("levels", len(c.DownDims), fmt.Sprintf("1 to %d", maxLevels))
	}
	step := 1 << (len(c.DownDims) - 1)
	switch {
	case c.Horizon < step || c.Horizon > maxLength || c.Horizon%step != 0:
		return bad("Horizon", c.Horizon, fmt.Sprintf("a positive multiple of %d up to %d, because every level but the last halves it", step, maxLength))
	case c.ActionDim < 1 || c.ActionDim > maxWidth:
		return bad("ActionDim", c.ActionDim, fmt.Sprintf("1 to %d", maxWidth))
	case c.ConditionDim < 1 || c.ConditionDim > maxWidth:
		return bad("ConditionDim", c.ConditionDim, fmt.Sprintf("1 to %d", maxWidth))
	case c.Kernel < 1 || c.Kernel > maxTaps || c.Kernel%2 == 0:
		return bad("Kernel", c.Kernel, fmt.Sprintf("an odd number up to %d", maxTaps))
	case c.TimeDim < 4 || c.TimeDim > maxWidth || c.TimeDim%2 != 0:
		return bad("TimeDim", c.TimeDim, fmt.Sprintf("an even number from 4 to %d", maxWidth))
	case c.Groups < 1:
		return bad("Groups", c.Groups, "at least 1")
	case c.Prediction != schedule.Epsilon && c.Prediction != schedule.X0:
		return bad("Prediction", c.Prediction, "the noise or the clean sample")
	}
	for _, w := range c.DownDims {
		if w < 1 || w > maxWidth || w%c.Groups != 0 {
			return bad("DownDims", c.DownDims, fmt.Sprintf("positive multiples of the %d groups up to %d", c.Groups, maxWidth))
		}
	}
	if c.DownDims[0]%finalGroups != 0 {
		return bad("DownDims", c.DownDims, fmt.Sprintf("a multiple of %d at the first level, whose last normalisation has as many groups", finalGroups))
	}
	return nil
}

// Layout returns the names and shapes of the parameters, without memory for their elements.
func (c ActionUNetConfig) Layout() ([]weights.Spec, error) {
	n, err := c.build(true)
	if err != nil {
		return nil, err
	}
	return n.params.layout(), nil
}

// Layout returns the names and shapes of the parameters and then of the buffers, without
// memory for their elements.
func (c VisionEncoderConfig) Layout() ([]weights.Spec, error) {
	n, err := c.build(true)
	if err != nil {
		return nil, err
	}
	return append(n.params.layout(), specsOf(n.params.buffers)...), nil
}
