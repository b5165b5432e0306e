package route

import "testing"

// 25 robots that fill a third of a room change places.
func BenchmarkMoveTogether(b *testing.B) {
	task, paths := packed(b, 5)
	for b.Loop() {
		if found, _ := task.MoveTogether(b.Context(), paths, everybody(25), 1, plenty); found == nil {
			b.Fatal("no ways")
		}
	}
}
