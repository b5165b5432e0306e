package train_test

import (
	"testing"

	"github.com/go-pcd/pcd/train"
)

// costly are examples that count how many were made.
type costly struct {
	squares
	made *int
}

func (d costly) Example(x, labels []float32, i int) {
	*d.made++
	d.squares.Example(x, labels, i)
}

func (costly) Identity() string { return "squares" }

// known are costly examples whose labels cost nothing.
type known struct{ costly }

func (d known) Condition(labels []float32, i int) {
	labels[0], labels[1] = float32(i%2), float32(i/2%4)
}

// Beginning checks all labels, and makes no sample whose label is known without it.
func TestLabelsAreCheckedWithoutSamples(t *testing.T) {
	made := 0
	data := costly{squares{24, 16}, &made}
	for _, c := range []struct {
		data train.Data
		want int
	}{{data, 24}, {known{data}, 0}} {
		made = 0
		o := train.CrossEntropy{Net: classifier(t, 1), Data: c.data}
		if _, err := o.Begin(train.Config{Steps: 1, Batch: 6}); err != nil || made != c.want {
			t.Errorf("%T: %d samples were made, want %d (%v)", c.data, made, c.want, err)
		}
	}
}
