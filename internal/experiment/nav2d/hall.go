package nav2d

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/plan"
)

// Hall is the workspace of a scene, of which a model learns how robots drive in it.
type Hall struct {
	Name   string
	Map    *nav2d.Map // with demonstrations of a robot of the hall, see [nav2d.Map.For]
	Frame  nav2d.Frame
	Units  string
	Radius float64 // of the robot, in map units

	places []geom.Vec2 // between which demonstrations drive half of the time
}

// NewHall returns the hall of a scene. Its robot has the radius that is given, in the units of
// the scene, or that of the largest robot of the scene. Demonstrations drive between the places
// of the scene half of the time.
func NewHall(t *nav2d.Task, radius float64) (*Hall, error) {
	for _, r := range t.Robots {
		if radius == 0 {
			radius = r.GivenRadius
		}
		radius = max(radius, 0)
	}
	if radius == 0 {
		for _, r := range t.Robots {
			radius = max(radius, r.GivenRadius)
		}
	}
	if !(radius > 0) {
		return nil, fmt.Errorf("nav2d: the scene has no robots: say how large the one is that drives there (--radius)")
	}
	h := &Hall{Name: t.Name, Frame: t.Frame, Units: t.Units, Radius: radius / t.Frame.Scale, places: t.Places}
	h.Map = t.Map.For(h.Radius, t.Places)
	if h.Name == "" {
		h.Name = h.Map.Name
	}
	return h, nil
}

// Card returns what the model of a hall says of it.
func (h *Hall) Card() *plan.HallCard {
	return &plan.HallCard{Center: [2]float64{h.Frame.Center.X, h.Frame.Center.Y}, Scale: h.Frame.Scale, Units: h.Units, Radius: h.Radius * h.Frame.Scale}
}

// HallReport says what a model of a hall is good for.
type HallReport struct {
	Pairs   int `json:"pairs"`   // of start and goal, none of which it learned from
	Samples int `json:"samples"` // of all pairs
	// Clear is the share of samples that are clear of obstacles as drawn, Empty that of the
	// model of an empty room on the same pairs with the same noise.
	Clear float64 `json:"clear"`
	Empty float64 `json:"clear_of_empty"`
}

// Report draws samples of a model and of that of an empty room between starts and goals that
// demonstrations do not have, of which one at most is a place of the scene, and counts those that
// are clear of the obstacles.
func (h *Hall) Report(ctx context.Context, m *plan.Model, pairs, samples int, progress func(done, total int)) (HallReport, error) {
	r := HallReport{Pairs: pairs, Samples: pairs * samples}
	empty, err := plan.Bundled("empty")
	if err != nil {
		return r, err
	}
	for k, number := 0, 0; k < pairs; number++ {
		start, goal, ok := h.Map.Pair(noise.New(heldOutSeed), number)
		if !ok {
			return r, fmt.Errorf("nav2d: %s has no room for a start and a goal of radius %.3g", h.Name, h.Radius*h.Frame.Scale)
		}
		if slices.Contains(h.places, start) && slices.Contains(h.places, goal) {
			continue // which a demonstration may have
		}
		for n, model := range []*plan.Model{m, empty} {
			clear, err := h.clear(ctx, model, start, goal, samples, uint64(number))
			if err != nil {
				return r, err
			}
			share := float64(clear) / float64(r.Samples)
			if n == 0 {
				r.Clear += share
			} else {
				r.Empty += share
			}
		}
		if k++; progress != nil {
			progress(k, pairs)
		}
	}
	return r, nil
}

// heldOutSeed draws the pairs of reports, which no demonstrations have.
const heldOutSeed = 0x68616c6c

// clear returns how many samples of a model from a start to a goal are clear of obstacles.
func (h *Hall) clear(ctx context.Context, m *plan.Model, start, goal geom.Vec2, samples int, seed uint64) (n int, err error) {
	team := plan.TeamOfTrial(h.Map, nav2d.Trial{Starts: []geom.Vec2{start}, Goals: []geom.Vec2{goal}}, m, 1e9)
	team.Robots[0].Radius, team.Motion = h.Radius, plan.Polyline
	settings, err := plan.SettingsByName("default")
	if err != nil {
		return 0, err
	}
	settings.Repair = false
	r, err := plan.Run(ctx, team, plan.Options{Method: plan.Diffuser, Settings: settings, Samples: samples, Seed: seed})
	if err != nil {
		return 0, err
	}
	for k := range samples {
		if h.Map.Clear(geom.Points(nil, r.Samples[0].Sample(k), nav2d.Channels), h.Radius) {
			n++
		}
	}
	return n, nil
}
