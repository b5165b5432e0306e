package latent

import (
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/schedule"
)

// Noise is what a model was trained on.
type Noise struct {
	Schedule   *schedule.Schedule
	Prediction schedule.Kind
	Offset     int       // of the timesteps visited: k·stride + Offset
	Final      float64   // ᾱ after the last step of DDIM: 1, or that of timestep 0
	rescaled   bool      // so that the last timestep has no signal
	file       scheduler // for the sampler to read as its class does
}

// maxTrainingSteps bounds what a file may ask for.
const maxTrainingSteps = 100_000

// ParseNoise reads a scheduler_config.json. It returns a [SettingError] for a training that is out
// of range or of other models, and for keys that no scheduler has. What the file says about its own
// sampler is read where that sampler, or another one, is made: see [Model.Dynamics].
func ParseNoise(raw []byte) (Noise, error) { return parseNoise(raw, "") }

// parseNoise is ParseNoise for a file whose folder names a class, which counts where the file names none.
func parseNoise(raw []byte, class string) (Noise, error) {
	file, err := readScheduler(raw, class)
	if err != nil {
		return Noise{}, err
	}
	n := Noise{Final: 1, file: file}
	method, _ := n.Published()
	c, err := file.training(methods[method])
	if err != nil {
		return Noise{}, err
	}
	if n.Schedule, n.Prediction, err = c.noise(); err != nil {
		return n, err
	}
	n.Offset, n.rescaled = c.Offset, c.ZeroSNR
	if string(file.keys["set_alpha_to_one"]) == "false" {
		n.Final = n.Schedule.At(0).AlphaBar
	}
	return n, nil
}

// Visit returns the schedule of a number of steps over the training's timesteps.
func (n Noise) Visit(steps int) (*schedule.Schedule, error) {
	c, err := n.file.as(methods["ddpm"])
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return n.visit(steps, c)
}

func (n Noise) visit(steps int, c schedulerSettings) (*schedule.Schedule, error) {
	bad := func() error {
		return &SettingError{Name: "steps", Value: steps, Want: fmt.Sprintf("1 to %d", n.Schedule.Len())}
	}
	if c.Spacing == "leading" {
		ts, err := schedule.LeadingTimesteps(n.Schedule.Len(), steps, n.Offset, true)
		if err != nil {
			return nil, bad()
		}
		return n.Schedule.Respace(ts)
	}
	g, err := n.Schedule.Grid(schedule.GridOptions{Steps: steps, Spacing: map[string]schedule.Spacing{"linspace": schedule.Linspace, "trailing": schedule.Trailing}[c.Spacing]})
	if err != nil {
		return nil, bad()
	}
	var ts []int
	for k := range g.Len() {
		ts = append(ts, int(g.From(k).Timestep))
	}
	slices.Reverse(ts)
	return n.Schedule.Respace(ts)
}

// levels returns the schedule whose steps are the levels of the timesteps, rescaled or not.
func (n Noise) levels(rescaled bool) (*schedule.Schedule, error) {
	if !rescaled {
		return n.Schedule, nil
	}
	g, err := n.Schedule.Grid(schedule.GridOptions{Steps: n.Schedule.Len(), ZeroSNR: true})
	if err != nil {
		return nil, err
	}
	var betas []float64
	before := 1.0
	for k := g.Len() - 1; k >= 0; k-- {
		bar := g.From(k).Signal * g.From(k).Signal
		if k == 0 {
			bar = max(bar, before/2) // a schedule has no step without signal; nothing goes to the last timestep
		}
		betas = append(betas, 1-bar/before)
		before = bar
	}
	return schedule.FromBetas(n.Schedule.Name()+", zero terminal SNR", betas)
}
