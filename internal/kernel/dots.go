package kernel

// dotsRun is the argument of the kernels of inner products; the generator knows its layout.
type dotsRun struct {
	weights [4]*byte
	rows    [4]*float32
	turns   int         // of dotsLanes elements
	sums    [16]float32 // four of each row of weights
}

const (
	dotsLanes = 16
	dotsOuts  = 32 // results of a task: their weights are read again for every four rows
)

// byDots reports whether the map is computed as inner products of rows, which reads the weights
// once from where they lie and packs nothing. It depends on the sizes of the map alone, so that the
// bits do not depend on the rows of a batch.
func (l *Linear) byDots() bool {
	return l.Dots && active != Portable && l.In%dotsLanes == 0
}

// dotRows is a map by inner products under way.
type dotRows struct {
	Linear
	dst, src Matrix
	add      bool
}

// dots is Forward by inner products. Every one is the same sum in the same order, whichever
// others are computed beside it.
func (l *Linear) dots(c *Crew, dst, src Matrix, add bool) {
	share(c, (l.Out+dotsOuts-1)/dotsOuts, dotRows{*l, dst, src, add}, func(d *dotRows, task int, _ *Hand) {
		end := min(d.Out, (task+1)*dotsOuts)
		for row := 0; row < d.src.Rows; row += 4 {
			for out := task * dotsOuts; out < end; out += 4 {
				d.fourByFour(row, out)
			}
		}
	})
}

// fourByFour computes up to four results of up to four rows.
func (d *dotRows) fourByFour(row, out int) {
	r := dotsRun{turns: d.In / dotsLanes}
	for i := range 4 {
		r.rows[i] = &d.src.Data[min(row+i, d.src.Rows-1)*d.src.Stride]
		r.weights[i] = d.Weight.pointer(min(out+i, d.Out-1) * d.In)
	}
	runDots(d.Weight.Format, &r)
	for i := range min(4, d.src.Rows-row) {
		y := d.dst.Data[(row+i)*d.dst.Stride:]
		for j := range min(4, d.Out-out) {
			v := r.sums[4*j+i]
			if d.Bias != nil {
				v += d.Bias[out+j]
			}
			if d.add {
				v += y[out+j]
			}
			y[out+j] = v
		}
	}
}
