package kernel

// The portable tile is two rows by four columns: eight accumulators and the
// operands fit in the registers that the compiler uses.

func (p *product) portable(segments int, bands []Band) {
	b := p.b
	for n := 0; n < b.N; n += 4 {
		panel := b.data[n*b.K : (n+4)*b.K]
		cols := min(4, b.N-n)
		for _, c := range bands {
			a, dst := p.a[p.from.at(c.First):], p.dst[p.to.at(c.First)+n:]
			from, to, m := c.of(p.from), c.of(p.to), segments*c.Length
			for i := 0; i < m; i += 2 {
				j := min(i+1, m-1)
				first, second := dst[to.at(i):][:cols], dst[to.at(j):][:cols]
				if !p.add {
					copy(first, b.bias[n:])
					copy(second, b.bias[n:])
				}
				var t [8]float32
				copy(t[:4], first)
				copy(t[4:], second)
				tile2x4(&t, a[from.at(i):][c.Lo:c.Hi], a[from.at(j):][c.Lo:c.Hi], panel[4*c.Lo:])
				copy(first, t[:4])
				copy(second, t[4:])
			}
		}
	}
}

// tile2x4 adds two rows of the product with a panel of four columns to t.
func tile2x4(t *[8]float32, p, q, panel []float32) {
	c00, c01, c02, c03 := t[0], t[1], t[2], t[3]
	c10, c11, c12, c13 := t[4], t[5], t[6], t[7]
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
	*t = [8]float32{c00, c01, c02, c03, c10, c11, c12, c13}
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
