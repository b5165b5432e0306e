package kernel

// Panels is the right matrix of a product, K×N, packed for the inner loop: panels
// of a few columns, each with its rows one after the other, padded with zeros to
// whole panels. A bias of N numbers travels with it.
type Panels struct {
	K, N  int
	kind  Kind
	width int       // columns of a panel
	data  []float32 // ⌈N/width⌉ panels of K×width
	bias  []float32 // padded like the columns
	index []int32   // offsets of the columns of a panel, for Pack
}

var (
	panelWidth = [...]int{Portable: 4, AVX2: 16, AVX512: 32}
	tileHeight = [...]int{Portable: 2, AVX2: 6, AVX512: 12}
)

// NewPanels returns a zero matrix with a zero bias.
func NewPanels(k, n int) *Panels { return newPanels(k, n, Alloc(PanelSize(k, n))) }

// newPanels returns panels in memory of their size.
func newPanels(k, n int, memory []float32) *Panels {
	p := &Panels{K: k, N: n, kind: active, width: panelWidth[active]}
	cols := Round(n, p.width)
	p.data, p.bias = memory[:k*cols], memory[k*cols:][:cols]
	p.index = make([]int32, p.width)
	return p
}

// PanelSize returns the elements of the panels of a K×N matrix and its bias.
func PanelSize(k, n int) int { return (k + 1) * Round(n, panelWidth[active]) }

// Pack sets element (k, n) to src[rows[k] + n·stride].
func (p *Panels) Pack(src []float32, rows []int32, stride int) {
	for i := range p.index {
		p.index[i] = int32(i * stride)
	}
	for n := 0; n < p.N; n += p.width {
		panel := p.data[n*p.K : (n+p.width)*p.K]
		cols := min(p.width, p.N-n)
		for k, at := range rows {
			Gather(panel[k*p.width:k*p.width+cols], src[int(at)+n*stride:], p.index[:cols])
		}
	}
}

// SetBias copies the bias; without it the bias is zero.
func (p *Panels) SetBias(bias []float32) { copy(p.bias[:p.N], bias) }

// Gather sets dst[i] = src[index[i]].
func Gather(dst, src []float32, index []int32) {
	if len(dst) != len(index) {
		panic("kernel: gather of a different number of elements")
	}
	i := gatherVectors(dst, src, index)
	for ; i < len(dst); i++ {
		dst[i] = src[index[i]]
	}
}
