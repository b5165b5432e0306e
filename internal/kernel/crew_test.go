package kernel

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/go-pcd/pcd/internal/parallel"
)

// TestCrewDoesEveryTaskOnce also in operations that follow one another.
func TestCrewDoesEveryTaskOnce(t *testing.T) {
	for _, size := range []int{0, 1, 2, 7} {
		for _, stays := range []bool{false, true} {
			c := NewCrew(size)
			if stays {
				c.Gather()
			}
			for tasks := range 200 {
				counts := make([]float32, tasks)
				c.Do(tasks, func(task int, h *Hand) {
					work := h.Floats(1 + task)
					work[task] = counts[task] + 1
					counts[task] = work[task]
				})
				for i, n := range counts {
					if n != 1 {
						t.Fatalf("crew of %d: task %d of %d was done %v times", size, i, tasks, n)
					}
				}
			}
			c.Dismiss()
		}
	}
}

// TestCrewSurvivesPanics of tasks: they reach the caller, and the next operation begins
// anew.
func TestCrewSurvivesPanics(t *testing.T) {
	bad := errors.New("bad")
	for _, size := range []int{1, 3} {
		c := NewCrew(size)
		c.Gather()
		defer c.Dismiss()
		for task := range 8 {
			err := func() (v any) {
				defer func() { v = recover() }()
				c.Do(8, func(i int, _ *Hand) {
					if i == task {
						panic(bad)
					}
				})
				return nil
			}()
			if p, ok := err.(*parallel.Panic); !ok || p.Value != bad {
				t.Errorf("crew of %d: Do panics with %v, want that of task %d", size, err, task)
			}
			done := make([]bool, 8)
			c.Do(8, func(i int, _ *Hand) { done[i] = true })
			for i, d := range done {
				if !d {
					t.Errorf("crew of %d: task %d of the next operation was left out", size, i)
				}
			}
		}
	}
}

// TestCrewWithinACrew shares tasks of tasks.
func TestCrewWithinACrew(t *testing.T) {
	outer, sums := NewCrew(3), make([]int, 5)
	outer.Do(len(sums), func(task int, _ *Hand) {
		inner, parts := NewCrew(2), make([]int, 10)
		inner.Gather()
		defer inner.Dismiss()
		for range 3 {
			inner.Do(len(parts), func(i int, _ *Hand) { parts[i] += i })
		}
		for _, p := range parts {
			sums[task] += p
		}
	})
	for task, s := range sums {
		if s != 3*45 {
			t.Errorf("task %d adds up to %d, want 135", task, s)
		}
	}
}

// TestTodoIsTakenOnce from both ends at a time.
func TestTodoIsTakenOnce(t *testing.T) {
	const tasks = 10000
	var list todo
	var wait sync.WaitGroup
	list.set(7, 7+tasks)
	taken := make([][]int, 4)
	for i := range taken {
		wait.Go(func() {
			take := list.last
			if i == 0 {
				take = list.first
			}
			for task, ok := take(); ok; task, ok = take() {
				taken[i] = append(taken[i], task)
			}
		})
	}
	wait.Wait()
	all := slices.Concat(taken...)
	slices.Sort(all)
	for i, task := range all {
		if task != 7+i {
			t.Fatalf("task %d is taken where %d is expected", task, 7+i)
		}
	}
	if len(all) != tasks {
		t.Errorf("%d of %d tasks are taken", len(all), tasks)
	}
}
