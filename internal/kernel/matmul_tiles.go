package kernel

// Products on matrix tiles pack and take apart some panels at a time, which stay in the
// second-level cache, and go through few rows at a time, whose pieces stay there, too.
const (
	splitRowsMost  = 2048       // most rows of a task
	splitRowsBlock = 128        // rows at a time
	splitPanels    = 192 * 1024 // elements of the pieces of panels at a time
)

// splitWeights is how many weights a product has that goes to tiles. Small networks, whose
// products gain little from large batches and lose from small ones, keep the bits of the
// vector kernels.
const splitWeights = 3 << 15

// split reports whether the product goes to tiles.
func (p *matmul) split() bool {
	return splittable(p.left.length, p.n) && p.k*p.n >= splitWeights
}

// onTiles computes the columns from ... end-1 of the rows of a strip.
func (p *matmul) onTiles(h *Hand, s strip, from, end int) {
	s.panel = h.Floats((matmulK + splitDepth) * 32)
	outset := h.memory.used
	for k := 0; k < p.k; k += s.k * s.segments {
		s.k, s.segments = p.left.chunk(k, p.k)
		s.a, s.add = p.left.from(k), p.add || k > 0
		group := 32 * max(4, splitPanels/s.rightSize())
		for n := from; n < end; n += group {
			h.memory.used = outset
			p.panelsOnTiles(h, s, k, n, min(group, end-n))
		}
	}
	p.addBias(s.to, from, end)
}

// panelsOnTiles computes the columns n ... n+cols-1 of the rows of a strip.
func (p *matmul) panelsOnTiles(h *Hand, s strip, k, n, cols int) {
	right := h.Floats((cols + 31) / 32 * s.rightSize())
	mark := h.memory.used
	s.endPanel()
	for j := 0; j < cols; j += 32 {
		p.right.pack(s.panel, h, n+j, k, s.k*s.segments)
		h.memory.used = mark
		s.splitPanel(right[j/32*s.rightSize():])
	}
	to, at := s.to, s.from
	for i := 0; i < len(to); i += splitRowsBlock {
		h.memory.used = mark
		s.to, s.from = to[i:min(i+splitRowsBlock, len(to))], at[i:min(i+splitRowsBlock, len(to))]
		s.split(h, &h.split)
		for j := 0; j < cols; j += 32 {
			s.cols = min(32, cols-j)
			s.dst, s.bias = p.dst[n+j:], p.biasOf(h, n+j, s.cols)
			s.multiply(right[j/32*s.rightSize():])
		}
	}
}
