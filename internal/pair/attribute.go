package pair

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/internal/spelling"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/nn"
)

// Attribute is a question about an image whose answers are to differ between the
// images of a pair.
type Attribute string

// The attributes.
const (
	Age    Attribute = "age"
	Gender Attribute = "gender"
)

// attributes lists them with the heads of the classifiers that answer.
var attributes = map[Attribute]string{Age: "age_group", Gender: "gender"}

// ParseAttribute returns an attribute by its name.
func ParseAttribute(name string) (Attribute, error) {
	return spelling.OneOf("pair", "attribute", name, []Attribute{Age, Gender})
}

// question returns the number of the head that answers, or -1.
func (a Attribute) question(c *latent.Classifier) int {
	return slices.IndexFunc(c.Net.Config().Heads, func(h nn.ClassifierHead) bool { return h.Name == attributes[a] })
}

// cuts are ages in years at which groups begin, by how easily one more is seen: the
// first is the published one between young and old, and faces change more beyond it.
// Below 40 the portraits that are drawn hardly change: the first three cuts are all that
// they show, see [MostTogether].
var cuts = []float64{portrait.Old, 70, 40, 30, 20, 15, 10, 7, 3}

// groups returns the classes that count as one answer, for images of which any two are
// to differ: as many groups as images. Two images have the published groups, young and
// old.
func (a Attribute) groups(images int) ([][]int, error) {
	classes := 2
	if a == Age {
		classes = len(portrait.AgeGroups)
	}
	if images > classes {
		return nil, &latent.SettingError{Name: "variables", Value: images, Want: fmt.Sprintf("at most %d: there are no more answers to %s", classes, a)}
	}
	if a == Gender {
		return [][]int{{int(portrait.Male)}, {int(portrait.Female)}}, nil
	}
	groups := make([][]int, images)
	for class, g := range portrait.AgeGroups {
		at := 0
		for _, cut := range cuts[:images-1] {
			if g.First >= cut {
				at++
			}
		}
		groups[at] = append(groups[at], class)
	}
	return groups, nil
}

// Names returns words for groups of classes: young and old, the ages from and to, or
// genders.
func (a Attribute) Names(groups [][]int) (names []string) {
	if a == Gender {
		return []string{portrait.Male.String(), portrait.Female.String()}
	}
	if len(groups) == 2 {
		return []string{"young", "old"}
	}
	for _, classes := range groups {
		from, _, _ := strings.Cut(portrait.AgeGroups[classes[0]].Name, "-")
		_, to, _ := strings.Cut(portrait.AgeGroups[classes[len(classes)-1]].Name, "-")
		names = append(names, from+" to "+to)
	}
	return names
}

// grouped returns the probabilities of groups of classes.
func grouped(p []float32, groups [][]int) []float64 {
	out := make([]float64, len(groups))
	for i, classes := range groups {
		for _, c := range classes {
			out[i] += float64(p[c])
		}
	}
	return out
}
