package experiment_test

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/experiment"
)

// Who waits for an evaluation is told how much of all cells is there, also of those that were finished before.
func TestProgressIsOfAllCells(t *testing.T) {
	dir := t.TempDir()
	newFake("m").evaluate(t, fakeSpec{Letters: "b", Units: 2}, experiment.Options{Dir: dir})
	var told [][2]int
	newFake("m").evaluate(t, fakeSpec{Letters: "abc", Units: 3}, experiment.Options{Dir: dir, Progress: func(done, total int) {
		told = append(told, [2]int{done, total})
	}})
	want := [][2]int{{2, 9}, {3, 9}, {4, 9}, {5, 9}, {6, 9}, {7, 9}, {8, 9}, {9, 9}}
	if !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}
