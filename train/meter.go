package train

import "time"

// meter adds up what a line of the log says of the steps since the line before. It is part of a checkpoint: a
// training that is stopped between two lines and resumed writes the lines of one that was not.
type meter struct {
	Steps   int     `json:"steps"`
	Loss    float64 `json:"loss"` // sums over the steps, as the next two
	Terms   []Term  `json:"terms,omitempty"`
	Norm    float64 `json:"gradient_norm"`
	Seconds float64 `json:"seconds"` // that the steps took, before since

	since time.Time // of the present run; zero between runs
}

// begin starts the clock, and rest stops it: nothing is trained between two runs.
func (m *meter) begin() { m.since = time.Now() }

func (m *meter) rest() { m.Seconds, m.since = m.seconds(), time.Time{} }

func (m *meter) seconds() float64 {
	if m.since.IsZero() {
		return m.Seconds
	}
	return m.Seconds + time.Since(m.since).Seconds()
}

func (m *meter) add(v Value, norm float64) {
	if len(m.Terms) != len(v.Terms) {
		*m = meter{since: m.since} // of a checkpoint that somebody has edited
	}
	sum := Value{m.Loss, m.Terms}
	sum.add(v, 1)
	m.Loss, m.Terms = sum.Loss, sum.Terms
	m.Norm += norm
	m.Steps++
}

// metrics returns the averages and starts the next line.
func (m *meter) metrics(c Config, done int) Metrics {
	n := float64(max(m.Steps, 1))
	var mean Value
	mean.add(Value{m.Loss, m.Terms}, 1/n)
	out := Metrics{
		Step: done, Loss: m.Loss / n, Terms: mean.byName(), GradientNorm: m.Norm / n, Rate: c.rate(done - 1),
		SamplesPerSecond: float64(m.Steps*c.Batch) / m.seconds(),
	}
	*m = meter{since: time.Now()}
	return out
}

// kept returns what a checkpoint has of the meter, nil where no step is behind the last line.
func (m *meter) kept() *meter {
	if m.Steps == 0 {
		return nil
	}
	return &meter{Steps: m.Steps, Loss: m.Loss, Terms: m.Terms, Norm: m.Norm, Seconds: m.seconds()}
}
