package kernel

// The transforms of the vector kernels, without fused operations.

func portableTaps(dst []float32, plane int, taps *[FilterTaps][filterGrain]float32, channels int) {
	for i := range channels {
		w0, w1, w2, w3, w4 := taps[0][i], taps[1][i], taps[2][i], taps[3][i], taps[4][i]
		even1, odd1 := w0+w2+w4, w1+w3
		even2, odd2 := w0+4*w2+16*w4, 2*w1+8*w3
		even3, odd3 := w0+0.25*w2+0.0625*w4, 0.5*w1+0.125*w3
		for p, u := range [filterPoints]float32{
			w0, (even1 + odd1) / -4.5, (even1 - odd1) / -4.5, (even2 + odd2) / 90, (even2 - odd2) / 90,
			(even3 + odd3) / 1.40625, (even3 - odd3) / 1.40625, w4,
		} {
			dst[p*plane+i] = u
		}
	}
}

func portableRows(dst []float32, plane int, src []float32, stride, channels, tiles int) {
	for t := range tiles {
		for c := range channels {
			var d [filterPoints]float32
			for i := range d {
				d[i] = src[(filterRows*t+i)*stride+c]
			}
			for p, v := range evaluateRow(d) {
				dst[p*plane+t*channels+c] = v
			}
		}
	}
}

// evaluateRow multiplies by the transposed inverse of the evaluation at the points,
// without its denominators.
func evaluateRow(d [filterPoints]float32) [filterPoints]float32 {
	even1, odd1 := d[2]+d[6]-4.25*d[4], d[1]+d[5]-4.25*d[3]
	even2, odd2 := d[6]+0.25*d[2]-1.25*d[4], 0.5*d[1]-2.5*d[3]+2*d[5]
	even3, odd3 := d[6]+4*d[2]-5*d[4], 2*d[1]-2.5*d[3]+0.5*d[5]
	return [filterPoints]float32{
		d[0] - d[6] + 5.25*(d[4]-d[2]),
		even1 + odd1, even1 - odd1, even2 + odd2, even2 - odd2, even3 + odd3, even3 - odd3,
		d[7] - d[1] + 5.25*(d[3]-d[5]),
	}
}

func (f *Filter) portableCombine(dst []float32, stride int, src []float32, plane, tiles int, add bool) {
	for t := range tiles {
		for c := range f.Out {
			var m [filterPoints]float32
			for p := range m {
				m[p] = src[p*plane+t*f.Out+c]
			}
			for i, y := range combineRow(m) {
				at := (filterRows*t+i)*stride + c
				if add {
					dst[at] += y
				} else {
					dst[at] = f.bias[c] + y
				}
			}
		}
	}
}

// combineRow sums the products times powers of their points.
func combineRow(m [filterPoints]float32) [filterRows]float32 {
	sum1, sum2, sum3 := m[1]+m[2], m[3]+m[4], m[5]+m[6]
	difference1, difference2, difference3 := m[1]-m[2], m[3]-m[4], m[5]-m[6]
	return [filterRows]float32{
		m[0] + sum1 + sum2 + sum3,
		difference1 + 2*difference2 + 0.5*difference3,
		sum1 + 4*sum2 + 0.25*sum3,
		m[7] + difference1 + 8*difference2 + 0.125*difference3,
	}
}
