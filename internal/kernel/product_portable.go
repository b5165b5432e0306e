package kernel

// The portable tile is two rows by four columns: eight accumulators and the
// operands fit in the registers that the compiler uses.

func (p *product) portable(segments int, bands []Band) {
	b := p.b
	for n := 0; n < b.N; n += 4 {
		panel := b.data[n*b.K : (n+4)*b.K]
		bias := (*[4]float32)(b.bias[n:])
		for _, c := range bands {
			a, dst := p.a[p.from.at(c.First):], p.dst[p.to.at(c.First)+n:]
			from, to, m := c.of(p.from), c.of(p.to), segments*c.Length
			for i := 0; i < m; i += 2 {
				j := min(i+1, m-1)
				t := tile2x4(a[from.at(i):][c.Lo:c.Hi], a[from.at(j):][c.Lo:c.Hi], panel[4*c.Lo:], bias, p.add)
				storeRow(dst[to.at(i):], t[:4], min(4, b.N-n), p.add)
				if j > i {
					storeRow(dst[to.at(j):], t[4:], min(4, b.N-n), p.add)
				}
			}
		}
	}
}

// tile2x4 returns two rows of the product with a panel of four columns.
func tile2x4(p, q, panel []float32, bias *[4]float32, add bool) [8]float32 {
	var c00, c01, c02, c03, c10, c11, c12, c13 float32
	if !add {
		c00, c01, c02, c03 = bias[0], bias[1], bias[2], bias[3]
		c10, c11, c12, c13 = c00, c01, c02, c03
	}
	q = q[:len(p)]
	for k, a := range p {
		b := (*[4]float32)(panel[4*k:])
		e := q[k]
		c00 += a * b[0]
		c01 += a * b[1]
		c02 += a * b[2]
		c03 += a * b[3]
		c10 += e * b[0]
		c11 += e * b[1]
		c12 += e * b[2]
		c13 += e * b[3]
	}
	return [8]float32{c00, c01, c02, c03, c10, c11, c12, c13}
}

func storeRow(dst, row []float32, n int, add bool) {
	for j, v := range row[:n] {
		if add {
			v += dst[j]
		}
		dst[j] = v
	}
}

func portableTransposed(dst []float32, ld, k, n int, a []float32, from Rows, b []float32, with Rows, segments int, add bool) {
	if !add {
		for i := range k {
			clear(dst[i*ld : i*ld+n])
		}
	}
	for r := range segments * from.Length {
		x, y := a[from.at(r):], b[with.at(r):]
		y = y[:n]
		for i, v := range x[:k] {
			row := dst[i*ld : i*ld+n]
			for j, w := range y {
				row[j] += v * w
			}
		}
	}
}
