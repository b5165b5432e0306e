package portraits

import (
	"math"

	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/nn"
)

// Share is how many of some pictures are of a class: by the mean of the judge's probabilities. Counts of its
// likeliest classes are something else: of neighbouring age groups that it cannot tell apart it always names the same one.
type Share struct {
	Class     string  `json:"class"`
	Labels    float64 `json:"labels"`    // of the held-out portraits, as they were drawn
	Portraits float64 `json:"portraits"` // of the held-out portraits
	Samples   float64 `json:"samples"`   // of what the model draws
}

// tally is shares of pictures: the age groups, and women last.
type tally [len(portrait.AgeGroups) + 1]float64

// believe adds the judge's probabilities of one of n pictures.
func (t *tally) believe(judge *nn.Classifier, logits []float32, n int) {
	add := func(head int, to []float64) {
		from, end := judge.Logits(head)
		sum := 0.0
		for _, v := range logits[from:end] {
			sum += math.Exp(float64(v))
		}
		for i := range to {
			to[i] += math.Exp(float64(logits[end-len(to)+i])) / sum / float64(n)
		}
	}
	add(0, t[:len(t)-1])
	add(1, t[len(t)-1:])
}

// know adds the label of one of n portraits.
func (t *tally) know(p portrait.Photo, n int) {
	t[portrait.GroupOf(p.Age)] += 1 / float64(n)
	t[len(t)-1] += float64(p.Gender) / float64(n)
}

// old returns the share of the age groups that are old.
func (t tally) old() (share float64) {
	for i := range portrait.AgeGroups {
		if portrait.IsOld(i) {
			share += t[i]
		}
	}
	return share
}

// sharesOf compares sets of pictures: the old, the women, and every age group that labels have.
func sharesOf(labels, portraits, samples tally) []Share {
	women := len(labels) - 1
	all := []Share{
		{"old", labels.old(), portraits.old(), samples.old()},
		{"women", labels[women], portraits[women], samples[women]},
	}
	for i, g := range portrait.AgeGroups {
		if labels[i] > 0 {
			all = append(all, Share{g.Name, labels[i], portraits[i], samples[i]})
		}
	}
	return all
}
