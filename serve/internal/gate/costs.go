package gate

import (
	"math"
	"sync"
)

// Costs predicts what requests take from what those before took that were alike. It is
// safe for concurrent use; its zero value has seen none.
type Costs struct {
	mu   sync.Mutex
	seen map[costKey]float64
}

// costKey says which requests are alike: of one kind, and of about one size.
type costKey struct {
	kind string
	size int // a power of two
}

func keyOf(kind string, size float64) costKey {
	return costKey{kind, int(math.Ceil(math.Log2(max(size, 1))))}
}

// Predict returns the processor seconds of a request of a kind and size, or what is taken
// for them before there was one.
func (c *Costs) Predict(kind string, size, otherwise float64) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.seen[keyOf(kind, size)]; ok {
		return s
	}
	return otherwise
}

// weight is that of the newest request: predictions follow some ten of them.
const weight = 0.1

// Observe notes what a request took.
func (c *Costs) Observe(kind string, size, seconds float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[costKey]float64{}
	}
	k := keyOf(kind, size)
	if before, ok := c.seen[k]; ok {
		seconds = before + weight*(seconds-before)
	}
	c.seen[k] = seconds
}
