package nn

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/weights"
)

// keptFormats are the types of elements that products take as they are.
var keptFormats = map[weights.DType]kernel.Format{weights.F32: kernel.F32, weights.F16: kernel.F16, weights.BF16: kernel.BF16}

// product adds the weights of a product, which can stay as a file has them, unless they are packed.
func (p *params) product(name string, bound float64, shape ...int) *Param {
	q := p.add(name, 0, bound, shape...)
	q.keeps = !p.packs
	return q
}

// CanKeep reports whether the parameter can be used as a file has it, in elements of a
// type: the weights of convolutions and linear maps of the networks of images and texts
// can, in F32, F16 and BF16. All others, and trainings, need Data.
func (p *Param) CanKeep(d weights.DType) bool {
	_, ok := keptFormats[d]
	return ok && p.keeps
}

// Keep makes little-endian elements, in row-major order, the values of a parameter that
// CanKeep them. They are widened where they are used, without rounding, so that
// predictions have the same bits as with Data, which Keep drops. The network takes the
// elements over without copying them.
func (p *Param) Keep(raw []byte, d weights.DType) {
	if !p.CanKeep(d) || len(raw) != d.Size()*p.Shape.Size() {
		panic(fmt.Sprintf("nn: parameter %s of shape %v cannot keep %d bytes of %v", p.Name, p.Shape, len(raw), d))
	}
	p.Data, p.kept = nil, kernel.InPlace(raw, keptFormats[d])
}

// Values returns the values as float32: Data, or a copy of what the parameter keeps. It is
// nil for a parameter without values.
func (p *Param) Values() []float32 {
	if p.Data != nil || p.kept.Len() == 0 {
		return p.Data
	}
	out := make([]float32, p.kept.Len())
	p.kept.Read(out, 0)
	return out
}
