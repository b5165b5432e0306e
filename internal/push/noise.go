package push

import (
	"fmt"

	"github.com/go-pcd/pcd/noise"
)

// Pair names a pair of trajectories. Its noise depends on this name and the seed
// alone, not on what else is sampled with it.
type Pair struct {
	Condition int `json:"condition"` // number of the initial condition
	Number    int `json:"number"`    // of the pair among those of the condition
}

// pairNoise is the noise of one call of the policy: row k is that of pairs[k].
type pairNoise struct {
	fields map[int]noise.Field // of each condition
	pairs  []Pair
	first  int // draws of the calls before
}

// newPairNoise returns the noise of the first call.
func newPairNoise(seed uint64, pairs []Pair) *pairNoise {
	n := &pairNoise{fields: map[int]noise.Field{}, pairs: pairs}
	for _, p := range pairs {
		n.fields[p.Condition] = noise.New(seed).Sub(fmt.Sprintf("pusht condition %d", p.Condition))
	}
	return n
}

// after returns the noise of the call that follows calls with so many draws.
func (n *pairNoise) after(draws int) *pairNoise {
	next := *n
	next.first = draws
	return &next
}

// Normal implements [noise.Source].
func (n *pairNoise) Normal(dst []float32, size int, at noise.Address) {
	for ; len(dst) >= size; dst = dst[size:] {
		p := n.pairs[at.Sample]
		n.fields[p.Condition].Normal(dst[:size], size, noise.Address{
			Variable: at.Variable, Sample: p.Number, Draw: n.first + at.Draw,
		})
		at.Sample++
	}
}
