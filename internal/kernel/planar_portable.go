package kernel

// The transforms of the vector kernels, without fused operations. Each is applied to
// the columns and then to the rows.

func portableWeights(dst []float32, plane int, taps []float32, width, n int, turned bool) {
	for i := range n * width {
		tap := func(t int) float32 {
			if turned {
				t = 8 - t
			}
			return taps[(i/width*9+t)*width+i%width]
		}
		var half [planarSide][3]float32
		for j := range 3 {
			for k, v := range planarTaps(tap(j), tap(3+j), tap(6+j)) {
				half[k][j] = v
			}
		}
		for k, row := range half {
			for j, v := range planarTaps(row[0], row[1], row[2]) {
				dst[(k*planarSide+j)*plane+i] = v
			}
		}
	}
}

// planarTaps evaluates the polynomial with the taps as coefficients, and divides by
// what the transform of the pixels leaves out.
func planarTaps(g0, g1, g2 float32) [planarSide]float32 {
	e1, o1 := g0*(1/planarNearA)+g2*(planarA2/planarNearA), g1*(planarA/planarNearA)
	e2, o2 := g0*(1/planarNearB)+g2*(planarB2/planarNearB), g1*(planarB/planarNearB)
	return [planarSide]float32{g0 * (1 / planarProduct), e1 + o1, e1 - o1, e2 + o2, e2 - o2, g2}
}

func portablePixels(dst []float32, plane int, at [][]float32, channels int) {
	for c := range channels {
		var half [planarSide][planarSide]float32
		for j := range planarSide {
			var d [planarSide]float32
			for i := range d {
				d[i] = at[i*planarSide+j][c]
			}
			for i, v := range planarRow(d) {
				half[i][j] = v
			}
		}
		for i, d := range half {
			for j, v := range planarRow(d) {
				dst[(i*planarSide+j)*plane+c] = v
			}
		}
	}
}

// planarRow multiplies by the transposed inverse of the evaluation at the points,
// without its denominators.
func planarRow(d [planarSide]float32) [planarSide]float32 {
	e1, o1 := d[4]-planarB2*d[2], d[3]-planarB2*d[1]
	e2, o2 := d[4]-planarA2*d[2], d[3]-planarA2*d[1]
	return [planarSide]float32{
		d[4] - planarSum*d[2] + planarProduct*d[0],
		e1 + planarA*o1, e1 - planarA*o1, e2 + planarB*o2, e2 - planarB*o2,
		d[5] - planarSum*d[3] + planarProduct*d[1],
	}
}

func portableProducts(at, plus [][]float32, src []float32, plane int, bias []float32, cols int, least float32) {
	for c := range cols {
		var half [planarRows][planarSide]float32
		for j := range planarSide {
			var m [planarSide]float32
			for i := range m {
				m[i] = src[(i*planarSide+j)*plane+c]
			}
			for i, v := range planarResult(m) {
				half[i][j] = v
			}
		}
		for i, m := range half {
			for j, v := range planarResult(m) {
				p := i*planarRows + j
				if v += bias[c]; plus[p] != nil {
					v += plus[p][c]
				}
				if v < least {
					v = least
				}
				at[p][c] = v
			}
		}
	}
}

// planarResult sums the products times powers of their points.
func planarResult(m [planarSide]float32) [planarRows]float32 {
	s1, d1, s2, d2 := m[1]+m[2], m[1]-m[2], m[3]+m[4], m[3]-m[4]
	return [planarRows]float32{
		m[0] + s1 + s2,
		planarB*d2 + planarA*d1,
		planarB2*s2 + planarA2*s1,
		m[5] + planarA3*d1 + planarB3*d2,
	}
}

func portableCotangents(dst []float32, plane int, at [][]float32, channels int) {
	for c := range channels {
		var half [planarSide][planarRows]float32
		for j := range planarRows {
			for i, v := range planarCotangent([planarRows]float32{at[j][c], at[planarRows+j][c], at[2*planarRows+j][c], at[3*planarRows+j][c]}) {
				half[i][j] = v
			}
		}
		for i, y := range half {
			for j, v := range planarCotangent(y) {
				dst[(i*planarSide+j)*plane+c] = v
			}
		}
	}
}

// planarCotangent evaluates the polynomial with the four coefficients.
func planarCotangent(y [planarRows]float32) [planarSide]float32 {
	e1, o1 := y[0]+planarA2*y[2], y[1]+planarA2*y[3]
	e2, o2 := y[0]+planarB2*y[2], y[1]+planarB2*y[3]
	return [planarSide]float32{y[0], e1 + planarA*o1, e1 - planarA*o1, e2 + planarB*o2, e2 - planarB*o2, y[3]}
}

func portableTapSums(dst []float32, tap int, src []float32, plane, n int) {
	for c := range n {
		var half [3][planarSide]float32
		for j := range planarSide {
			var m [planarSide]float32
			for i := range m {
				m[i] = src[(i*planarSide+j)*plane+c]
			}
			for i, v := range planarTapSums(m) {
				half[i][j] = v
			}
		}
		for i, m := range half {
			for j, v := range planarTapSums(m) {
				dst[(i*3+j)*tap+c] = v
			}
		}
	}
}

// planarTapSums is the transpose of [planarTaps].
func planarTapSums(m [planarSide]float32) [3]float32 {
	s1, d1, s2, d2 := m[1]+m[2], m[1]-m[2], m[3]+m[4], m[3]-m[4]
	return [3]float32{
		m[0]*(1/planarProduct) + (s2*(1/planarNearB) + s1*(1/planarNearA)),
		d2*(planarB/planarNearB) + d1*(planarA/planarNearA),
		s2*(planarB2/planarNearB) + s1*(planarA2/planarNearA) + m[5],
	}
}
