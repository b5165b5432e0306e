package portraits

import (
	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/nn"
)

// Share is how many of some pictures the judge takes for a class.
type Share struct {
	Class     string  `json:"class"`
	Portraits float64 `json:"portraits"` // of the held-out portraits
	Samples   float64 `json:"samples"`   // of what the model draws, told nothing
}

// tally counts what the judge takes pictures for: the age groups, and women last.
type tally [len(portrait.AgeGroups) + 1]float64

// count adds the answers about n pictures.
func (t *tally) count(judge *nn.Classifier, logits []float32, n int) {
	t[answer(judge, 0, logits)] += 1 / float64(n)
	t[len(t)-1] += float64(answer(judge, 1, logits)) / float64(n)
}

// sharesOf compares two sets of pictures: the old, the women, and every age group there is.
func sharesOf(portraits, samples tally) []Share {
	old := Share{Class: "old"}
	women := Share{"women", portraits[len(portraits)-1], samples[len(samples)-1]}
	var groups []Share
	for i, g := range portrait.AgeGroups {
		if portrait.IsOld(i) {
			old.Portraits, old.Samples = old.Portraits+portraits[i], old.Samples+samples[i]
		}
		if portraits[i] > 0 || samples[i] > 0 {
			groups = append(groups, Share{g.Name, portraits[i], samples[i]})
		}
	}
	return append([]Share{old, women}, groups...)
}
