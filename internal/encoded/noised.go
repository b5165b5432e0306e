package encoded

import (
	"fmt"
	"math/rand/v2"

	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
)

// Noised are latents to learn from with noisy copies: first every latent as it is, then
// as often as there are copies with the noise of a timestep of its own, and last those
// held out, without noise. A classifier that learns from them can be asked about the
// states of a sampling. They are train.Data.
type Noised struct {
	*Latents
	Copies   int
	schedule *schedule.Schedule
	field    noise.Field
}

// WithNoise adds noisy copies to latents, of the timesteps of a schedule.
func WithNoise(l *Latents, copies int, s *schedule.Schedule, seed uint64) *Noised {
	return &Noised{Latents: l, Copies: copies, schedule: s, field: noise.New(seed).Sub("noised")}
}

// learned is how many latents are learned from, copies aside.
func (n *Noised) learned() int { return n.Latents.Len() - n.HeldOut() }

// Len returns the number of latents, copies included.
func (n *Noised) Len() int { return n.Latents.Len() + n.Copies*n.learned() }

// Identity says how the latents are made.
func (n *Noised) Identity() string {
	return fmt.Sprintf("%s; %d noisy copies", n.Latents.Identity(), n.Copies)
}

// Example writes latent i.
func (n *Noised) Example(x, condition []float32, i int) {
	learned := n.learned()
	first := n.Len() - n.HeldOut() // of those held out
	switch {
	case i >= first:
		n.Latents.Example(x, condition, i-first+learned)
	case i < learned:
		n.Latents.Example(x, condition, i)
	default:
		n.Latents.Example(x, condition, i%learned)
		n.blur(x, i)
	}
}

// blur adds the noise of a timestep that is drawn for example i.
func (n *Noised) blur(x []float32, i int) {
	r := rand.New(noise.NewSource(n.field.Sub("timestep"), uint64(i)))
	step := n.schedule.At(r.IntN(n.schedule.Len()))
	eps := make([]float32, len(x))
	n.field.Normal(eps, len(eps), noise.Address{Sample: i})
	for j, v := range x {
		x[j] = float32(step.SqrtAlphaBar*float64(v) + step.Sigma*float64(eps[j]))
	}
}
