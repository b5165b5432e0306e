package dataset_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/tensor"
)

// rows returns a batch whose row i holds (i, -i).
func rows(n int) tensor.Batch {
	b := tensor.New(n, 2)
	for i := range n {
		b.Data[2*i], b.Data[2*i+1] = float32(i), -float32(i)
	}
	return b
}

// With the published options an episode of L rows, at least 9, has L-7 windows;
// the first begins one row before it, the last seven rows beyond its end.
func TestPublishedWindows(t *testing.T) {
	opts := dataset.WindowOptions{Length: 16, PadBefore: 1, PadAfter: 7}
	for _, length := range []int64{1, 7, 8, 9, 16, 49, 246} {
		w, err := dataset.NewWindows([]int64{length}, opts)
		if want := max(0, int(length)-7); err != nil || w.Len() != want {
			t.Errorf("%d rows: %d windows, %v, want %d", length, w.Len(), err, want)
		}
	}
	w, err := dataset.NewWindows([]int64{10, 12, 40}, opts)
	if err != nil || w.Len() != 3+0+21 {
		t.Fatalf("%d windows, %v, want 24", w.Len(), err)
	}
	for i, want := range map[int][3]int{0: {-1, 0, 10}, 2: {1, 0, 10}, 3: {11, 12, 40}, 23: {31, 12, 40}} {
		if start, lo, hi := w.At(i); [3]int{start, lo, hi} != want {
			t.Errorf("At(%d) = %d %d %d, want %v", i, start, lo, hi, want)
		}
	}
	data := rows(40)
	dst := make([]float32, 32)
	w.Gather(dst, data, 3)
	for h := range 16 {
		if want := float32(max(12, 11+h)); dst[2*h] != want || dst[2*h+1] != -want {
			t.Errorf("first window, row %d = %v, want %v", h, dst[2*h:2*h+2], want)
		}
	}
	w.Gather(dst, data, 23)
	for h := range 16 {
		if want := float32(min(39, 31+h)); dst[2*h] != want {
			t.Errorf("last window, row %d = %v, want %v", h, dst[2*h], want)
		}
	}
}

// Counting windows one by one gives what At computes.
func TestWindowsAgainstEnumeration(t *testing.T) {
	ends := []int64{3, 4, 11, 13, 20}
	keep := []bool{true, true, false, true, true}
	for length := 1; length <= 5; length++ {
		for before := range length {
			for after := range length {
				w, err := dataset.NewWindows(ends, dataset.WindowOptions{Length: length, PadBefore: before, PadAfter: after, Keep: keep})
				if err != nil {
					t.Fatal(err)
				}
				n, lo := 0, 0
				for e, end := range ends {
					for start := lo - before; start <= int(end)-length+after && keep[e]; start++ {
						if n < w.Len() {
							if s, l, h := w.At(n); s != start || l != lo || h != int(end) {
								t.Errorf("window %d = %d %d %d, want %d %d %d", n, s, l, h, start, lo, end)
							}
						}
						n++
					}
					lo = int(end)
				}
				if n != w.Len() {
					t.Errorf("length %d, padding %d and %d: %d windows, want %d", length, before, after, w.Len(), n)
				}
			}
		}
	}
}

func TestWindowOptionsAreChecked(t *testing.T) {
	var we *dataset.WindowError
	for _, o := range []dataset.WindowOptions{
		{}, {Length: 4, PadBefore: 4}, {Length: 4, PadBefore: -1}, {Length: 4, PadAfter: 4}, {Length: 4, PadAfter: -1}, {Length: 4, Keep: []bool{true}},
	} {
		if _, err := dataset.NewWindows([]int64{5, 9}, o); !errors.As(err, &we) {
			t.Errorf("NewWindows(%+v) = %v, want a WindowError", o, err)
		}
	}
	var ee *dataset.EpisodeError
	if _, err := dataset.NewWindows([]int64{5, 4}, dataset.WindowOptions{Length: 1}); !errors.As(err, &ee) {
		t.Errorf("ends that decrease: %v, want an EpisodeError", err)
	}
}

// The held-back episodes are those that NumPy 1.24 chooses for seed 42.
func TestSplit(t *testing.T) {
	train, err := dataset.Split(206, 0.02, 42)
	if err != nil {
		t.Fatal(err)
	}
	var held []int
	for i, keep := range train {
		if !keep {
			held = append(held, i)
		}
	}
	if want := []int{18, 90, 134, 157}; !slices.Equal(held, want) {
		t.Errorf("held back %v, want %v", held, want)
	}
	for _, c := range []struct {
		n        int
		fraction float64
		held     int
	}{{206, 0.25, 52}, {6, 0.25, 2}, {10, 0.25, 2}, {10, 0.001, 1}, {10, 1, 9}, {10, 0, 0}, {1, 0.5, 0}, {0, 0.5, 0}} {
		train, err := dataset.Split(c.n, c.fraction, 42)
		held := 0
		for _, keep := range train {
			if !keep {
				held++
			}
		}
		if err != nil || held != c.held || len(train) != c.n {
			t.Errorf("Split(%d, %v) holds back %d of %d, %v; want %d", c.n, c.fraction, held, len(train), err, c.held)
		}
	}
	for _, n := range []int{-1, 10001} {
		if _, err := dataset.Split(n, 0.5, 42); err == nil {
			t.Errorf("Split(%d) = nil, want an error", n)
		}
	}
	for _, f := range []float64{-0.1, 1.1} {
		if _, err := dataset.Split(10, f, 42); err == nil {
			t.Errorf("Split of %v = nil, want an error", f)
		}
	}
}

func BenchmarkGather(b *testing.B) {
	data := tensor.New(25650, 2)
	w, err := dataset.NewWindows([]int64{161, 279, 420, 25650}, dataset.WindowOptions{Length: 16, PadBefore: 1, PadAfter: 7})
	if err != nil {
		b.Fatal(err)
	}
	dst := make([]float32, 32)
	i := 0
	for b.Loop() {
		w.Gather(dst, data, i%w.Len())
		i += 7919
	}
}
