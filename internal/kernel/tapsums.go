package kernel

// tapColumns is how many elements of the gradient of an output channel are brought into
// their order at a time: with those of a cache line of channels they stay in the
// first-level cache.
const tapColumns = 256

// addTaps adds the sum of all parts, [parts, Size, Size, In, Out], to [Out, In, Size, Size].
func (v Conv) addTaps(c *Crew, dWeight, sums []float32, parts int) {
	const group = 16 // output channels in a cache line
	share(c, (v.Out+group-1)/group, tapSums{v, dWeight, sums, parts}, func(t *tapSums, task int, h *Hand) {
		v, dWeight, sums, from := &t.Conv, t.dWeight, t.sums, task*group
		n, taps := min(group, v.Out-from), v.Size*v.Size
		row := taps * v.In
		sum, part := h.Floats(group*tapColumns), h.Floats(group*tapColumns)
		var at [tapColumns]int
		for first := 0; first < row; first += tapColumns {
			count := min(tapColumns, row-first)
			for i := range count { // from the order of dWeight
				at[i] = ((first+i)%taps*v.In+(first+i)/taps)*v.Out + from
			}
			gatherRows(sum, sums, at[:count], n)
			for p := 1; p < t.parts; p++ {
				gatherRows(part, sums[p*row*v.Out:], at[:count], n)
				Add(Vector(sum), Vector(sum), Vector(part))
			}
			for o := range n {
				d := Vector(dWeight[(from+o)*row+first:][:count])
				Add(d, d, Vector(sum[o*tapColumns:][:count]))
			}
		}
	})
}

// tapSums are the sums of all parts, and what they are added to.
type tapSums struct {
	Conv
	dWeight, sums []float32
	parts         int
}

// gatherRows writes src[at[i]+o] to dst[o·tapColumns + i] for n numbers o. It may write any
// number past those of a row, and past the last row to that of a whole vector.
func gatherRows(dst, src []float32, at []int, n int) {
	if active != Portable {
		gatherRowVectors(dst, src, at, n)
		return
	}
	for i, from := range at {
		for o, s := range src[from : from+n] {
			dst[o*tapColumns+i] = s
		}
	}
}
