package dtype_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/dtype"
)

func TestNamesAndSizes(t *testing.T) {
	for _, c := range []struct {
		d    dtype.DType
		name string
		size int
	}{
		{dtype.F32, "float32", 4}, {dtype.F64, "float64", 8}, {dtype.BF16, "bfloat16", 2},
		{dtype.I64, "int64", 8}, {dtype.Bool, "bool", 1}, {dtype.F8E4M3, "float8_e4m3", 1},
		{dtype.Invalid, "invalid", 0}, {dtype.DType(200), "DType(200)", 0},
	} {
		if got := c.d.String(); got != c.name {
			t.Errorf("%d.String() = %q, want %q", c.d, got, c.name)
		}
		if got := c.d.Size(); got != c.size {
			t.Errorf("%v.Size() = %d, want %d", c.d, got, c.size)
		}
		if got, ok := dtype.Parse(c.name); ok != (c.size > 0) || ok && got != c.d {
			t.Errorf("Parse(%q) = %v, %v", c.name, got, ok)
		}
	}
}

// Every binary16 number survives the way to float32 and back, and its value is
// that of the definition.
func TestHalfRoundTrip(t *testing.T) {
	for h := range 1 << 16 {
		raw := binary.LittleEndian.AppendUint16(nil, uint16(h))
		var f [1]float32
		dtype.Float32s(dtype.F16, f[:], raw)
		exp, frac := h>>10&0x1f, float64(h&0x3ff)
		want := math.Ldexp(1024+frac, exp-25)
		switch {
		case exp == 31 && frac != 0:
			if !math.IsNaN(float64(f[0])) {
				t.Fatalf("half %#04x = %v, want NaN", h, f[0])
			}
			continue
		case exp == 31:
			want = math.Inf(1)
		case exp == 0:
			want = math.Ldexp(frac, -24)
		}
		if h>>15 == 1 {
			want = -want
		}
		if float64(f[0]) != want {
			t.Fatalf("half %#04x = %v, want %v", h, f[0], want)
		}
		if back := dtype.AppendFloat32s(dtype.F16, nil, f[:]); !bytes.Equal(back, raw) {
			t.Fatalf("half %#04x comes back as %x", h, back)
		}
	}
}

func TestRoundingToNearestEven(t *testing.T) {
	for _, c := range []struct {
		d    dtype.DType
		in   float32
		want uint16
	}{
		{dtype.F16, 1 + 1.0/2048, 0x3c00},     // tie, down to even
		{dtype.F16, 1 + 3.0/2048, 0x3c02},     // tie, up to even
		{dtype.F16, 65519.996, 0x7bff},        // just below the tie to infinity
		{dtype.F16, 65520, 0x7c00},            // the tie to infinity
		{dtype.F16, 0x1p-25, 0},               // tie between 0 and the smallest
		{dtype.F16, 0x1.8p-24, 2},             // tie among subnormals, up to even
		{dtype.F16, 0x1.ffep-15, 0x0400},      // rounds up into the normal numbers
		{dtype.F16, -2, 0xc000},               //
		{dtype.BF16, 1, 0x3f80},               //
		{dtype.BF16, 1 + 0x1p-8, 0x3f80},      // tie, down to even
		{dtype.BF16, 1 + 3*0x1p-8, 0x3f82},    // tie, up to even
		{dtype.BF16, math.MaxFloat32, 0x7f80}, // rounds to infinity
	} {
		got := binary.LittleEndian.Uint16(dtype.AppendFloat32s(c.d, nil, []float32{c.in}))
		if got != c.want {
			t.Errorf("%v(%v) = %#04x, want %#04x", c.d, c.in, got, c.want)
		}
	}
	for _, d := range []dtype.DType{dtype.F16, dtype.BF16, dtype.F32, dtype.F64} {
		var back [1]float32
		nan := math.Float32frombits(0x7f800001) // its payload is lost in 16 bits
		dtype.Float32s(d, back[:], dtype.AppendFloat32s(d, nil, []float32{nan}))
		if !math.IsNaN(float64(back[0])) {
			t.Errorf("NaN as %v comes back as %v", d, back[0])
		}
	}
}

func TestIntegers(t *testing.T) {
	raw := []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	for d, want := range map[dtype.DType]int64{
		dtype.I64: -2, dtype.I32: -2, dtype.I16: -2, dtype.I8: -2,
		dtype.U8: 254, dtype.U16: 65534, dtype.U32: 1<<32 - 2, dtype.Bool: 1,
	} {
		var got [1]int64
		dtype.Int64s(d, got[:], raw)
		if got[0] != want {
			t.Errorf("%v of %x = %d, want %d", d, raw, got[0], want)
		}
		var f [1]float64
		dtype.Float64s(d, f[:], raw)
		if f[0] != float64(want) {
			t.Errorf("%v of %x as float64 = %v, want %d", d, raw, f[0], want)
		}
	}
}

func TestFloat64s(t *testing.T) {
	want := make([]float64, 700) // more than one piece
	var raw []byte
	for i := range want {
		want[i] = float64(i) / 4
		raw = dtype.AppendFloat32s(dtype.F16, raw, []float32{float32(want[i])})
	}
	got := make([]float64, len(want))
	dtype.Float64s(dtype.F16, got, raw)
	if !slices.Equal(got, want) {
		t.Errorf("float16 as float64 = %v", got)
	}
	pi := binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Pi))
	if dtype.Float64s(dtype.F64, got[:1], pi); got[0] != math.Pi {
		t.Errorf("float64 = %v, want π to the last bit", got[0])
	}
}

func TestElements(t *testing.T) {
	for _, c := range []struct {
		shape []int
		want  int64
		ok    bool
	}{
		{nil, 1, true}, {[]int{3, 4}, 12, true}, {[]int{100, 10}, 1000, true},
		{[]int{1001}, 0, false}, {[]int{-1}, 0, false}, {[]int{0, 1 << 40}, 0, true}, {[]int{0, -1}, 0, false}, {[]int{1 << 40, 1 << 40, 0}, 0, true},
		{[]int{1 << 40, 1 << 40}, 0, false}, {[]int{5, 0}, 0, true},
		{[]int{1 << 32, 1 << 32}, 0, false}, {[]int{-1 << 63, -1 << 63}, 0, false},
	} {
		if got, ok := dtype.Elements(c.shape, 1000); ok != c.ok || ok && got != c.want {
			t.Errorf("Elements(%v) = %d, %v, want %d, %v", c.shape, got, ok, c.want, c.ok)
		}
	}
}

func TestGather(t *testing.T) {
	src := make([]byte, 24)
	for i := range src {
		src[i] = byte(i)
	}
	// Elements of two bytes, a [2,3] view with strides [1,4] from element 1.
	dst := make([]byte, 12)
	dtype.Gather(dst, src, 2, []int{2, 3}, []int{1, 4}, 1)
	if want := []byte{2, 3, 10, 11, 18, 19, 4, 5, 12, 13, 20, 21}; !slices.Equal(dst, want) {
		t.Errorf("Gather = %v, want %v", dst, want)
	}
	if dtype.Contiguous([]int{2, 3}, []int{1, 4}) || !dtype.Contiguous([]int{2, 1, 3}, []int{3, 99, 1}) {
		t.Error("Contiguous misjudges strides")
	}
	dtype.Gather(dst[:2], src, 2, nil, nil, 5)
	if dst[0] != 10 || dst[1] != 11 {
		t.Errorf("Gather of a scalar = %v, want 10 11", dst[:2])
	}
	dtype.Gather(nil, src, 2, []int{0, 3}, []int{3, 1}, 0)
}

// NonFinite agrees with decoding, for every half and for samples of the wider types.
func TestNonFinite(t *testing.T) {
	for _, d := range []dtype.DType{dtype.F16, dtype.BF16, dtype.F32, dtype.F64} {
		var raw []byte
		want := 0
		for i := range 1 << 16 {
			one := binary.LittleEndian.AppendUint64(nil, uint64(i)*0x0001000100010001)[:d.Size()]
			var v [1]float64
			dtype.Float64s(d, v[:], one)
			if math.IsNaN(v[0]) || math.Abs(v[0]) > math.MaxFloat32 {
				want++
			}
			raw = append(raw, one...)
		}
		if got := dtype.NonFinite(d, raw); got != want || want == 0 {
			t.Errorf("%v: %d elements are not finite, want %d", d, got, want)
		}
	}
	// However many there are, bytes that make no element aside.
	nan := bytes.Repeat([]byte{0xff}, 24)
	for _, d := range []dtype.DType{dtype.F16, dtype.BF16, dtype.F32} {
		for n := range nan {
			if got := dtype.NonFinite(d, nan[:n]); got != n/d.Size() {
				t.Errorf("%v: %d of %d bytes of NaN are not finite", d, got, n)
			}
		}
	}
}
