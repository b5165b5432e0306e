package train

import "time"

// meter adds up what a line of the log says of the steps since the line before. It is part of a checkpoint: a
// training that is stopped between two lines and resumed writes the lines of one that was not. Times are no part of
// it, so that equal trainings have equal checkpoints: the speed in a line is that of its steps in the present run.
type meter struct {
	Steps int     `json:"steps"`
	Loss  float64 `json:"loss"` // sums over the steps, as the next two
	Terms []Term  `json:"terms,omitempty"`
	Norm  float64 `json:"gradient_norm"`

	since time.Time // when the clock was started
	timed int       // steps since then
}

// begin starts the clock: nothing is trained between two runs.
func (m *meter) begin() { m.since, m.timed = time.Now(), 0 }

func (m *meter) add(v Value, norm float64) {
	if m.Terms != nil && len(m.Terms) != len(v.Terms) {
		*m = meter{since: m.since, timed: m.timed} // of a checkpoint that somebody has edited
	}
	sum := Value{m.Loss, m.Terms}
	sum.add(v, 1)
	m.Loss, m.Terms = sum.Loss, sum.Terms
	m.Norm += norm
	m.Steps++
	m.timed++
}

// metrics returns the averages and starts the next line.
func (m *meter) metrics(c Config, done int) Metrics {
	n := float64(max(m.Steps, 1))
	var mean Value
	mean.add(Value{m.Loss, m.Terms}, 1/n)
	out := Metrics{
		Step: done, Loss: m.Loss / n, Terms: mean.byName(), GradientNorm: m.Norm / n, Rate: c.rate(done - 1),
		SamplesPerSecond: float64(m.timed*c.Batch) / time.Since(m.since).Seconds(),
	}
	*m = meter{}
	m.begin()
	return out
}

// kept returns what a checkpoint has of the meter, nil where no step is behind the last line.
func (m *meter) kept() *meter {
	if m.Steps == 0 {
		return nil
	}
	return m
}
