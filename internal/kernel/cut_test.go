package kernel

import "testing"

// TestCutsAreEven also with few items, and leave nothing out.
func TestCutsAreEven(t *testing.T) {
	for n := range 60 {
		for count := range 9 {
			for _, grain := range []int{1, 4, 12} {
				r := cut(n, count, grain)
				next, least, most := 0, n, 0
				for i := range r.count {
					first, length := r.at(i)
					if first != next || first%grain != 0 {
						t.Fatalf("%+v: range %d begins at %d, not %d", r, i, first, next)
					}
					next += length
					if most = max(most, length); i+1 < r.count {
						least = min(least, length)
					}
				}
				if next != n || most-least > grain || r.count > max(1, count) {
					t.Errorf("%+v has ranges of %d to %d items up to item %d", r, least, most, next)
				}
			}
		}
	}
}

// TestBlocksCoverProducts once, and goroutines have equally many of them.
func TestBlocksCoverProducts(t *testing.T) {
	for size := 1; size < 9; size++ {
		c := NewCrew(size)
		for blocks := 1; blocks < 12; blocks++ {
			b := blocking{cut(100, blocks, 1), cut(70, c.even(5, blocks), 1)}
			if b.tasks()%size != 0 || b.panels.count < 5 || b.panels.count >= 5+size {
				t.Errorf("%d goroutines share %d × %d tasks", size, b.rows.count, b.panels.count)
			}
			var count [100][70]int
			for task := range b.tasks() {
				row, rows, panel, panels := b.at(task)
				for i := range rows {
					for j := range panels {
						count[row+i][panel+j]++
					}
				}
			}
			for i := range count {
				for j, n := range count[i] {
					if n != 1 {
						t.Fatalf("%+v: %d tasks have row %d of panel %d", b, n, i, j)
					}
				}
			}
		}
	}
}
