package dtype

import "math"

// halfToFloat widens an IEEE 754 binary16 number; every value is exact.
func halfToFloat(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp, frac := uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch exp {
	case 0: // zero and subnormal: frac · 2⁻²⁴
		v := math.Float32bits(float32(frac) * (1.0 / (1 << 24)))
		return math.Float32frombits(sign | v)
	case 0x1f: // infinity and NaN, whose payload moves to the top
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}

// floatToHalf rounds to the nearest binary16 number, ties to even; numbers from
// 65520 on become infinite.
func floatToHalf(f float32) uint16 {
	bits := math.Float32bits(f)
	sign := uint16(bits>>16) & 0x8000
	abs := bits & 0x7fffffff
	switch {
	case abs > 0x7f800000: // NaN: keep it a quiet NaN
		return sign | 0x7e00 | uint16(abs>>13)&0x3ff
	case abs >= 0x477ff000: // 65520 and above round to infinity
		return sign | 0x7c00
	case abs < 0x38800000: // below 2⁻¹⁴: a subnormal, in units of 2⁻²⁴
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(abs))*(1<<24)))
	}
	abs += 0xfff + abs>>13&1 // round the 13 dropped bits to even
	return sign | uint16((abs-(127-15)<<23)>>13)
}

// floatToBrain rounds to the nearest bfloat16 number, ties to even.
func floatToBrain(f float32) uint16 {
	bits := math.Float32bits(f)
	if bits&0x7fffffff > 0x7f800000 { // NaN: rounding could carry it to infinity
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}
