package plan

import "github.com/go-pcd/pcd/tensor"

// velocities replaces the velocities of a robot by central differences of its positions; at
// both ends they are those that the robot is given, or rest.
func (t Team) velocities(x tensor.Batch, r Robot) {
	differentiate(x, t.Step)
	first, final := r.StartVelocity.Scale(t.LengthUnit()), r.GoalVelocity.Scale(t.LengthUnit())
	for k := range x.N {
		s := x.Sample(k)
		end := s[len(s)-channels:]
		s[2], s[3] = float32(first.X), float32(first.Y)
		end[2], end[3] = float32(final.X), float32(final.Y)
	}
}

// differentiate replaces velocities by central differences of the positions, with
// rest at both ends.
func differentiate(x tensor.Batch, dt float64) {
	for k := range x.N {
		s := x.Sample(k)
		last := len(s) - channels
		for at := 0; at <= last; at += channels {
			for c := range 2 {
				v := 0.0
				if at > 0 && at < last {
					v = (float64(s[at+channels+c]) - float64(s[at-channels+c])) / (2 * dt)
				}
				s[at+2+c] = float32(v)
			}
		}
	}
}
