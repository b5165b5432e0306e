package plan

import (
	"context"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/tensor"
)

// drawAll samples a team whose plans may have more waypoints than its models draw: samples
// take as long as the plan, with longer steps, and are stretched to its waypoints.
func (t Team) drawAll(ctx context.Context, o Options) (*Result, error) {
	drawn := t.Robots[0].Model.Waypoints()
	if t.waypoints() == drawn {
		return t.draw(ctx, o)
	}
	coarse := t.coarse(drawn)
	if o.From != nil {
		from := make([]tensor.Batch, len(o.From))
		for i, x := range o.From {
			from[i] = stretched(x, drawn)
		}
		o.From = from
	}
	out, err := coarse.draw(ctx, o)
	if out == nil {
		return nil, err
	}
	for i, x := range out.Samples {
		out.Samples[i] = stretched(x, t.waypoints())
		if o.Settings.PinGoal {
			t.restoreEnds(out.Samples[i], t.Robots[i])
		}
	}
	if err == nil && out.Status == pcd.Complete {
		err = t.assess(out)
	}
	return out, err
}

// coarse returns a team with fewer waypoints over the same time.
func (t Team) coarse(waypoints int) Team {
	out := t
	out.Traffic = nil
	for _, m := range t.Traffic {
		if m.Times == nil {
			for h := range m.Path {
				m.Times = append(m.Times, float64(h)*t.Step)
			}
		}
		out.Traffic = append(out.Traffic, m)
	}
	out.stretch = float64(t.waypoints()-1) / float64(waypoints-1)
	out.Step, out.Waypoints = t.Step*out.stretch, 0
	return out
}

// stretched returns trajectories of another number of waypoints: straight and even between
// those that there are.
func stretched(x tensor.Batch, waypoints int) tensor.Batch {
	out := tensor.New(x.N, waypoints, channels)
	out.First = x.First
	last := x.Shape[0] - 1
	for k := range x.N {
		from, to := x.Sample(k), out.Sample(k)
		for h := range waypoints {
			at := float64(h) * float64(last) / float64(waypoints-1)
			g := min(int(at), last-1)
			share := at - float64(g)
			for c := range channels {
				a, b := float64(from[g*channels+c]), float64(from[(g+1)*channels+c])
				to[h*channels+c] = float32(a + share*(b-a))
			}
		}
	}
	return out
}
