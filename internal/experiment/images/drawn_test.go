package images

import (
	"reflect"
	"testing"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/pair"
)

// Methods that do not look at exemplars draw once for all numbers of them: even the
// times of their steps are the same. The others draw for each.
func TestDrawnOnce(t *testing.T) {
	spec := tinySpec()
	spec.Exemplars, spec.Floor = []int{2, 3}, 0
	dir := t.TempDir()
	if err := evaluate(t.Context(), tinyModel(t), spec, experiment.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	results := read(t, dir)
	for m, once := range map[pair.Method]bool{pair.SD: true, pair.SDP: false} {
		two, three := results["images-"+string(m)+"-m2"], results["images-"+string(m)+"-m3"]
		for i, b := range two.Batches {
			if c := three.Batches[i]; reflect.DeepEqual(b.Times, c.Times) != once || b.Seed != c.Seed {
				t.Errorf("%s, seed %d: with two exemplars %+v, with three %+v", m, b.Seed, b.Times, c.Times)
			}
			if c := three.Batches[i]; once && b.Pairs[0].Gender != c.Pairs[0].Gender {
				t.Errorf("%s, seed %d: other pairs: %+v, %+v", m, b.Seed, b.Pairs[0], c.Pairs[0])
			}
		}
	}
}
