package pickle_test

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/pickle"
)

// resolver knows one name, and one stored value.
type resolver struct{ imports []string }

func (r *resolver) Import(name pickle.Global) { r.imports = append(r.imports, name.String()) }

func (r *resolver) Persistent(id pickle.Value) (pickle.Value, error) {
	if id == pickle.Value(int64(7)) {
		return "stored", nil
	}
	return nil, errors.New("unknown identifier")
}

func (r *resolver) Call(name pickle.Global, args *pickle.Tuple) (pickle.Value, bool, error) {
	if name.Name != "double" {
		return nil, false, nil
	}
	if len(args.Items) != 1 {
		return nil, false, errors.New("want one argument")
	}
	n, ok := args.Items[0].(int64)
	if !ok {
		return nil, false, errors.New("want an integer")
	}
	return 2 * n, true, nil
}

func read(program string) (pickle.Value, *resolver, error) {
	r := &resolver{}
	v, err := pickle.Read([]byte(program), r)
	return v, r, err
}

func TestScalars(t *testing.T) {
	for _, c := range []struct {
		program string
		want    pickle.Value
	}{
		{"\x80\x02N.", nil},
		{"\x88.", true},
		{"\x89.", false},
		{"K\xff.", int64(255)},
		{"M\xff\xff.", int64(65535)},
		{"J\xfe\xff\xff\xff.", int64(-2)},
		{"\x8a\x00.", int64(0)},
		{"\x8a\x01\xff.", int64(-1)},
		{"\x8a\x05\x00\x00\x00\x00\x01.", int64(1) << 32},
		{"\x8b\x02\x00\x00\x00\x00\x80.", int64(-32768)},
		{"G\x3f\xf8\x00\x00\x00\x00\x00\x00.", 1.5},
		{"X\x02\x00\x00\x00\xc3\xa9.", "é"},
		{"\x8c\x01a.", "a"},
		{"\x8d\x01\x00\x00\x00\x00\x00\x00\x00a.", "a"},
		{"\x80\x04\x95\x02\x00\x00\x00\x00\x00\x00\x00N.", nil},
		{"K\x01q\x05K\x02h\x050.", int64(2)},
		{"K\x01\x94K\x02\x940h\x00.", int64(1)},
		{"K\x01r\x05\x00\x00\x000j\x05\x00\x00\x00.", int64(1)},
		{"K\x072Q0.", int64(7)},
		{"K\x07Q.", "stored"},
		{"(K\x01K\x021K\x03.", int64(3)},
		{"(0K\x01.", int64(1)},
		{"cm\ndouble\nK\x04\x85R.", int64(8)},
	} {
		got, _, err := read(c.program)
		if err != nil || got != c.want {
			t.Errorf("Read(%q) = %v, %v, want %v", c.program, got, err, c.want)
		}
	}
	for program, want := range map[string]string{"U\x01a.": "a", "T\x01\x00\x00\x00a.": "a", "C\x01a.": "a", "B\x01\x00\x00\x00a.": "a",
		"\x8e\x01\x00\x00\x00\x00\x00\x00\x00a.": "a", "\x96\x01\x00\x00\x00\x00\x00\x00\x00a.": "a"} {
		got, _, err := read(program)
		if b, ok := got.([]byte); !ok || string(b) != want {
			t.Errorf("Read(%q) = %v, %v, want bytes %q", program, got, err, want)
		}
	}
	if got, _, _ := read("\x8a\x09123456789."); got != pickle.Value(pickle.BigInt{Offset: 0}) {
		t.Errorf("a long of 9 bytes = %v, want BigInt", got)
	}
	if got, _, _ := read("G\x7f\xf8\x00\x00\x00\x00\x00\x00."); !math.IsNaN(got.(float64)) {
		t.Errorf("NaN = %v", got)
	}
}

func TestContainers(t *testing.T) {
	v, _, err := read("}(X\x01\x00\x00\x00aK\x01X\x01\x00\x00\x00b](K\x02K\x03eX\x01\x00\x00\x00aK\x04u.")
	d, ok := v.(*pickle.Dict)
	if err != nil || !ok || len(d.Keys) != 2 {
		t.Fatalf("Read = %#v, %v, want a dict of two", v, err)
	}
	if a, ok := d.Get("a"); !ok || a != pickle.Value(int64(4)) || d.Keys[0] != pickle.Value("a") {
		t.Errorf("d[a] = %v, %v at %v; want 4, the later value, in the first place", a, ok, d.Keys)
	}
	b, _ := d.Get("b")
	if l, ok := b.(*pickle.List); !ok || len(l.Items) != 2 || l.Items[1] != pickle.Value(int64(3)) {
		t.Errorf("d[b] = %#v, want [2 3]", b)
	}
	if _, ok := d.Get("c"); ok {
		t.Error("d[c] is there")
	}
	v, _, err = read("(K\x01K\x02K\x03tK\x04\x86.")
	if tu, ok := v.(*pickle.Tuple); err != nil || !ok || len(tu.Items[0].(*pickle.Tuple).Items) != 3 {
		t.Errorf("Read = %#v, %v, want ((1 2 3) 4)", v, err)
	}
	for _, program := range []string{"\x8f(K\x01\x90.", "(K\x01\x91."} {
		if v, _, err := read(program); err != nil || v.(*pickle.Set) == nil {
			t.Errorf("Read(%q) = %v, %v, want a set", program, v, err)
		}
	}
	v, _, err = read("}C\x01kK\x01s.")
	if got, ok := v.(*pickle.Dict).Get([]byte("k")); err != nil || !ok || got != pickle.Value(int64(1)) {
		t.Errorf("value of a bytes key = %v, %v", got, err)
	}
}

// A list that holds itself is a value like any other.
func TestCycle(t *testing.T) {
	v, _, err := read("]q\x00h\x00a.")
	l, ok := v.(*pickle.List)
	if err != nil || !ok || l.Items[0] != pickle.Value(l) {
		t.Errorf("Read = %v, %v, want a list that holds itself", v, err)
	}
}

// Everything that Python would run becomes an inert object, whatever is then
// done with it.
func TestCallsAreInert(t *testing.T) {
	for _, program := range []string{
		"cos\nsystem\nX\x02\x00\x00\x00ls\x85R.",
		"\x8c\x02os\x8c\x06system\x93)R.",
		"cos\nsystem\n)\x81.",
		"cos\nsystem\n)}\x92.",
		"cos\nsystem\n)R}b.",
		"cos\nsystem\n)R(K\x01K\x02u.",
		"cos\nsystem\n)RK\x01a.",
		"cos\nsystem\n)R)R.",
	} {
		v, r, err := read(program)
		o, ok := v.(*pickle.Object)
		if err != nil || !ok || o.Class.String() != "os.system" || r.imports[0] != "os.system" {
			t.Errorf("Read(%q) = %#v, %v, imports %v; want an inert os.system", program, v, err, r.imports)
		}
	}
	if v, _, err := read("cos\nsystem\n."); err != nil || v != pickle.Value(pickle.Global{Module: "os", Name: "system"}) {
		t.Errorf("a name = %v, %v", v, err)
	}
	if v, _, err := read("}N}b."); err == nil {
		t.Errorf("attributes of None = %v, want an error", v)
	}
}

func TestGlobalString(t *testing.T) {
	for _, c := range []struct{ module, name, want string }{
		{"os", "system", "os.system"},
		{"a\x1b[31m", "b", `"a\x1b[31m.b"`},
		{strings.Repeat("x", 500), "y", strings.Repeat("x", 120) + "…"},
	} {
		got := pickle.Global{Module: c.module, Name: c.name}.String()
		if got != c.want && !strings.HasPrefix(got, `"xxx`) {
			t.Errorf("String = %q, want %q", got, c.want)
		}
	}
}

func TestErrorsSayWhere(t *testing.T) {
	for _, c := range []struct {
		program string
		offset  int
		op      byte
		reason  string
	}{
		{"", 0, 0, "ends here"},
		{"K", 0, 'K', "ends here"},
		{".", 0, '.', "stack is empty"},
		{"\xff.", 0, 0xff, "not an instruction"},
		{"I1\n.", 0, 'I', "not an instruction"},
		{"\x82\x01.", 0, 0x82, "not an instruction"},
		{"\x80\x06.", 0, 0x80, "protocol 6"},
		{"\x80\x00.", 0, 0x80, "protocol 0"},
		{"B\xff\xff\xff\xffabc", 0, 'B', "4294967295 bytes wanted"},
		{"\x8e\xff\xff\xff\xff\xff\xff\xff\xffabc", 0, 0x8e, "bytes wanted"},
		{"\x95\xff\xff\xff\xff\xff\xff\xff\xffabc", 0, 0x95, "frame of"},
		{"X\x01\x00\x00\x00\xff.", 0, 'X', "UTF-8"},
		{"NNt.", 2, 't', "no mark"},
		{"(N.", 2, '.', "marks left open"},
		{"N(0t.", 3, 't', "no mark"},
		{"(N\x86.", 2, 0x86, "stack is empty"},
		{"h\x00.", 0, 'h', "never stored"},
		{"q\x00.", 0, 'q', "stack is empty"},
		{"cos\nsystem", 0, 'c', "within a name"},
		{"NN\x93.", 2, 0x93, "not text"},
		{"NK\x01R.", 3, 'R', "want a tuple"},
		{"N)R.", 2, 'R', "not callable"},
		{"K\x08Q.", 2, 'Q', "unknown identifier"},
		{"cm\ndouble\nN\x85R.", 12, 'R', "want an integer"},
		{"}(Nu.", 3, 'u', "without a value"},
		{"N(NNu.", 4, 'u', "want a dict"},
		{"NNa.", 2, 'a', "want a list"},
		{"N(N\x90.", 3, 0x90, "want a set"},
		{"2.", 0, '2', "stack is empty"},
	} {
		_, _, err := read(c.program)
		var pe *pickle.Error
		if !errors.As(err, &pe) || pe.Offset != c.offset || pe.Opcode != c.op || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("Read(%q) = %v, want byte %d, instruction %#02x: %s", c.program, err, c.offset, c.op, c.reason)
		}
	}
}

// Memory stays within a fixed multiple of the pickle, for the instructions that
// cost most per byte.
func TestMemoryIsBounded(t *testing.T) {
	const n, bound = 1 << 18, 200
	for _, unit := range []string{"}", "]", "(", ")", "N", "N\x94", "\x8f", "N\x85"} {
		program := bytes.Repeat([]byte(unit), n/len(unit))
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, err := pickle.Read(program, &resolver{})
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Fatalf("%q repeated: no error", unit)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > bound*n {
			t.Errorf("%q repeated: %d bytes allocated per byte of the pickle, want at most %d", unit, used/n, bound)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"\x80\x02}(X\x01\x00\x00\x00aK\x01X\x01\x00\x00\x00b](K\x02K\x03eu.",
		"\x80\x04\x95\x02\x00\x00\x00\x00\x00\x00\x00N.",
		"]q\x00h\x00a.", "cos\nsystem\nX\x02\x00\x00\x00ls\x85R.", "\x8c\x02os\x8c\x06system\x93)}\x92.",
		"K\x07Q.", "cm\ndouble\nK\x04\x85R.", "\x8a\x09123456789.", "(K\x01K\x021K\x03.", "\x8f(K\x01\x90.",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		v, _, err := read(string(program))
		if err != nil && v != nil {
			t.Errorf("value %v with error %v", v, err)
		}
		again, _, err2 := read(string(program))
		if (err == nil) != (err2 == nil) {
			t.Errorf("first %v, %v, then %v, %v", v, err, again, err2)
		}
	})
}
