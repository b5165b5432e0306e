package paths

import (
	"errors"
	"testing"
)

// What is read is in order, of finite numbers, and errors are typed. There is a target for each
// reader, and one for what tells kinds of files apart and checks what they give.

// fuzzed fails unless a file is in order, or the error a typed one.
func fuzzed(t *testing.T, file *File, err error) {
	t.Helper()
	if err != nil {
		var broken *FormatError
		if !errors.As(err, &broken) {
			t.Fatalf("%T: %v", err, err)
		}
		return
	}
	for _, p := range file.Paths {
		if p.check("f") != nil {
			return // Read refuses it
		}
		if p.Times != nil && len(p.Times) != len(p.X) || p.V != nil && len(p.V) != len(p.X) || p.Headings != nil && len(p.Headings) != len(p.X) {
			t.Fatalf("%+v", p)
		}
	}
}

// texts adds the files of some kinds to the corpus.
func texts(f *testing.F, kinds ...Kind) {
	for _, c := range files {
		for _, k := range kinds {
			if c.kind == k {
				f.Add([]byte(c.text))
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	texts(f, Plan, Table, ROSPath, MultiDOF, State, Order, TUM, Steps)
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read("f", data, Options{Height: 8})
		if fuzzed(t, file, err); err != nil {
			return
		}
		for _, p := range file.Paths {
			if err := p.check("f"); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzTable(f *testing.F) {
	texts(f, Table)
	f.Add([]byte("t,robot,x,y,heading,vx,vy,ax,ay\n0,a,0,0,0,1,0,0,0\n0.1,a,0.1,0,0,1,0,1,0\n0.2,a,0.21,0,0,1.2,0,3,0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := readTable("f", data)
		fuzzed(t, file, err)
	})
}

func FuzzPlan(f *testing.F) {
	texts(f, Plan)
	f.Add([]byte(`{"version": 2, "motion": "polyline", "times": [0, 0.5, 1], "robots": [{"name": "a", "radius": 0.3}, {"name": "b", "radius": 0.3}],
 "plan": {"trajectories": {"a": [[1, 2, 0, 0], [3, 4, 0, 0], [3, 4, 0, 0]], "b": [[9, 2, 0, 0], [9, 4, 0, 0], [9, 9, 0, 0]]}, "certificate": {"certified": true, "lateness": 0.5, "margins": [{"constraint": "pairs", "margin": 1}]},
 "proof": {"traffic": [{"name": "c", "times": [0, 0.25]}], "pairs": [[0, 1, 0, 2, 1, 0], [0, 2, 0, 1, 1, 0]], "obstacles": [[0, 0, 0, 2.5, 0, 1]]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := readJSON("f", data)
		fuzzed(t, file, err)
	})
}

func FuzzROS(f *testing.F) {
	texts(f, ROSPath, MultiDOF)
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := readROSPaths("f", data)
		fuzzed(t, file, err)
		file, err = readMultiDOF("f", data)
		fuzzed(t, file, err)
	})
}

// States and orders of VDA 5050.
func FuzzVDA(f *testing.F) {
	texts(f, State, Order)
	f.Fuzz(func(t *testing.T, data []byte) {
		objects, err := objectsOf("f", data)
		if err != nil {
			fuzzed(t, nil, err)
			return
		}
		file, err := readStates("f", objects)
		fuzzed(t, file, err)
		file, err = readOrders("f", objects)
		fuzzed(t, file, err)
	})
}

// Texts with a point or a step in each line.
func FuzzLines(f *testing.F) {
	texts(f, TUM, Steps)
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := readTUM("f", data)
		fuzzed(t, file, err)
		file, err = readSteps("f", data, Options{Height: 8})
		fuzzed(t, file, err)
	})
}
