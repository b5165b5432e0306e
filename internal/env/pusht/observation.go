package pusht

// ObservationSize is the length of an observation: the keypoints of the block
// (x0, y0, ..., x8, y8), then the agent (x, y).
const ObservationSize = 2*Keypoints + 2

// Observe writes the observation in pixels to dst, which has [ObservationSize]
// elements or is nil, and returns it.
func (w *World) Observe(dst []float64) []float64 {
	if dst == nil {
		dst = make([]float64, ObservationSize)
	}
	for k, q := range keypoints {
		p := w.block.turn.apply(q).Add(w.block.origin)
		dst[2*k], dst[2*k+1] = p.X, p.Y
	}
	dst[2*Keypoints], dst[2*Keypoints+1] = w.agent.position.X, w.agent.position.Y
	return dst
}
