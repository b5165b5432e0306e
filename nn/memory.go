package nn

import "github.com/go-pcd/pcd/internal/kernel"

// Operation is what a network is asked to compute.
type Operation int

// The operations.
const (
	Forward   Operation = iota // a prediction
	VJP                        // a prediction and its product with a cotangent
	Linearize                  // a prediction and, later, its product with a cotangent
	Train                      // a forward and a backward pass with all gradients
)

var operationNames = [...]string{"forward", "vjp", "linearize", "train"}

// String returns the name of the operation as it appears in benchmark rows.
func (o Operation) String() string { return operationNames[o] }

// MemoryBound returns how many bytes the network may allocate for an operation on
// a batch, beyond the parameters and their packed form for predictions.
//
// Predictions and products take chunks of samples, so their memory grows with the
// number of workers and of concurrent calls, not with the batch: the value is for
// one call at a time and as many timesteps as the network remembers, and an idle
// network keeps it for the next. A linearization keeps the activations of the whole
// batch. The first product or training also packs the weights once more, for the way
// back. Training keeps the activations of the whole batch, too, and one gradient for
// each parameter.
func (n *sequences) MemoryBound(op Operation, batch int) int {
	return n.memoryBound(op, batch, extent{})
}

// memoryBound is MemoryBound for samples of the given sizes.
func (e *engine) memoryBound(op Operation, batch int, size extent) int {
	purpose := [...]purpose{Forward: predicting, VJP: differentiating, Linearize: linearizing, Train: training}[op]
	p := e.layout(key{purpose, size})
	floats := func(samples, slots int, sizes []int) int { return 4 * (samples*sum(sizes) + slots*allocSlack) }
	workers := e.workers
	if op != Train {
		workers = min(workers, batch)
	}
	chunks := workers
	if op == Linearize && batch > 0 {
		_, chunks = p.divide(batch, workers)
	}
	perWorker := len(run{}.vectors)*4*(p.channels+allocSlack) + 4*(p.work+p.sumSize+p.rowSize+3*allocSlack)
	bytes := workers*perWorker + chunks*floats(p.chunk(), len(p.sizes[scratch]), p.sizes[scratch]) +
		4*stepsKept*(slotsSize(p.sizes[shared])+allocSlack/4) + p.bytes()
	if op != Forward {
		bytes += e.backwardBytes()
	}
	if op == Train {
		bytes += floats(batch, len(p.sizes[kept]), p.sizes[kept]) + 4*e.params.count()
	}
	return bytes
}

// bytes returns what the lists of operations take, with some room.
func (p *plan) bytes() int {
	const perOperation = 768
	return perOperation * (64 + len(p.prelude.ops) + len(p.forward) + len(p.backward) + len(p.gradients))
}

// backwardBytes returns the memory of the weights packed for the way back.
func (e *engine) backwardBytes() int {
	floats := 0
	for _, l := range e.params.layers {
		floats += l.backwardSize()
	}
	return 4 * floats
}

// allocSlack is what an allocation may take beyond its elements: alignment, slack,
// and rounding up to a size class or a page.
const allocSlack = 2048 + kernel.Slack

func sum(sizes []int) int {
	n := 0
	for _, s := range sizes {
		n += s
	}
	return n
}
