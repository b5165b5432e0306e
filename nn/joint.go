package nn

import "github.com/go-pcd/pcd/internal/kernel"

// jointBytes is the memory that the chunks of a joint plan may fill: enough for a batch
// of small images, which use the weights together.
const jointBytes = 512 << 20

// jointChunk returns how many samples all workers take at a time.
func (p *plan) jointChunk() int {
	return max(1, jointBytes/max(1, 4*sum(p.sizes[scratch])))
}

// divideJointly cuts samples into chunks. A training step is one chunk: what its
// parameters learn is a sum over all samples.
func (p *plan) divideJointly(samples int) (step, chunks int) {
	if samples == 0 || p.purpose == training {
		return max(1, samples), 1
	}
	chunks = (samples + p.jointChunk() - 1) / p.jointChunk()
	step = (samples + chunks - 1) / chunks
	return step, (samples + step - 1) / step
}

// grow sees that slots of scratch have room for a chunk of n samples.
func (p *plan) grow(slots [][]float32, n int) {
	for i, size := range p.sizes[scratch] {
		if len(slots[i]) < size*n {
			slots[i] = kernel.Alloc(size * n)
		}
	}
}
