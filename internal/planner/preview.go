package planner

import (
	"slices"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/latent"
)

const (
	previews  = 8 // about how many times images are shown on the way
	previewed = 4 // how many of them, the first ones
)

// preview shows the first images while groups are drawn: those that are finished, and what
// those that are being drawn are going to be. It shows nothing where nobody looks.
type preview struct {
	*images
	groups []group
}

// shows says whether there are images of a group among those that are shown.
func (p preview) shows(g group) bool { return p.task.Preview != nil && g.lo < previewed }

// begin shows what is kept, if there is more to come.
func (p preview) begin() error {
	if len(p.groups) == 0 || p.task.Preview == nil || len(p.sheet()) == 0 {
		return nil
	}
	return p.show(0, p.sheet())
}

// of returns what shows a group on the way; nil shows nothing.
func (p preview) of(k int) *latent.Preview {
	g := p.groups[k]
	if !p.shows(g) {
		return nil
	}
	return &latent.Preview{Every: max(1, p.steps/previews), Images: min(g.hi, previewed) - g.lo, Show: func(done, _ int, estimates []*dataset.Picture) error {
		return p.show(k*p.steps+done, slices.Concat(p.sheet()[:p.before(g)], estimates, p.sheet()[p.before(g):]))
	}}
}

// drawn shows the images of a group, unless it is the last.
func (p preview) drawn(k int) error {
	if k+1 == len(p.groups) || !p.shows(p.groups[k]) {
		return nil
	}
	return p.show((k+1)*p.steps, p.sheet())
}

// show shows pictures after some of the steps of all groups.
func (p preview) show(done int, pictures []*dataset.Picture) error {
	return p.task.Preview(done, len(p.groups)*p.steps, dataset.Grid(pictures, len(pictures), gridGap, 0xff))
}

// sheet returns those of the first images that are finished.
func (p preview) sheet() []*dataset.Picture {
	first := p.pictures[:min(previewed, len(p.pictures))]
	return slices.DeleteFunc(slices.Clone(first), func(p *dataset.Picture) bool { return p == nil })
}

// before returns how many of the sheet come before a group.
func (p preview) before(g group) (n int) {
	for _, picture := range p.pictures[:g.lo] {
		if picture != nil {
			n++
		}
	}
	return n
}
