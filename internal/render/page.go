package render

import (
	"embed"
	"encoding/json"
	"html/template"
	"io"
	"sync"
)

// WriteHTML writes the animation as one page that needs nothing else: no other
// file, no network.
//
// Positions are rounded to a ten-thousandth of the map's side. What is judged is
// not: speeds, gaps and marks come from the exact numbers, and the rounding of
// speeds cannot lift one above its limit.
func (a *Animation) WriteHTML(w io.Writer) error {
	text, err := a.text()
	if err != nil {
		return err
	}
	return page().Execute(w, text)
}

// WriteJSON writes what a page shows as JSON, for pages of others: the words of the
// page and, under data, the numbers that its player draws.
func (a *Animation) WriteJSON(w io.Writer) error {
	text, err := a.text()
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(text)
}

// text gathers the words and the numbers of a page.
func (a *Animation) text() (pageText, error) {
	data, err := json.Marshal(a.page())
	text := pageText{Title: a.title, Note: a.note, Marks: a.markKinds(), Data: data}
	for _, actor := range a.actors() {
		text.Starts = text.Starts || actor.start != nil
		text.Goals = text.Goals || actor.goal != nil && actor.parts == nil
		text.Shades = text.Shades || actor.goal != nil && actor.parts != nil
	}
	for _, t := range a.takes {
		text.Takes = append(text.Takes, t.name)
	}
	for i, s := range a.stages {
		text.Stages = append(text.Stages, s.text(a.takes[0].runs[i]))
	}
	return text, err
}

// The words of a page.
type (
	pageText struct {
		Title  string      `json:"title"`
		Note   string      `json:"note,omitempty"`
		Stages []stageText `json:"stages"`
		Takes  []string    `json:"takes"`
		Marks  []MarkKind  `json:"marks,omitempty"` // that the legend explains
		// Which signs of ends there are: circles, squares, shades of a shape.
		Starts bool            `json:"starts,omitempty"`
		Goals  bool            `json:"goals,omitempty"`
		Shades bool            `json:"shades,omitempty"`
		Data   json.RawMessage `json:"data"`
	}
	stageText struct {
		Title  string      `json:"title,omitempty"`
		Note   string      `json:"note,omitempty"`
		Aspect float64     `json:"aspect"` // width over height
		Actors []string    `json:"actors"`
		Holds  int         `json:"holds,omitempty"` // of the actors, the first, that may be held back
		Charts []chartText `json:"charts"`
	}
	chartText struct {
		Title string `json:"title"`
		Unit  string `json:"unit,omitempty"`
	}
)

// actors returns those of all stages.
func (a *Animation) actors() (all []actor) {
	for _, s := range a.stages {
		all = append(all, s.actors...)
	}
	return all
}

// markKinds returns the kinds of marks that occur.
func (a *Animation) markKinds() (kinds []MarkKind) {
	var counts [markKinds]int
	for _, t := range a.takes {
		for _, r := range t.runs {
			for k, n := range tally(r.marks) {
				counts[k] += n
			}
		}
	}
	for k, n := range counts {
		if n > 0 {
			kinds = append(kinds, MarkKind(k))
		}
	}
	return kinds
}

func (s stage) text(first run) stageText {
	size := s.shown().Size()
	t := stageText{Title: s.title, Note: s.note, Aspect: size.X / size.Y}
	if first.order != nil {
		t.Holds = first.order.Robots
	}
	for _, a := range s.actors {
		t.Actors = append(t.Actors, a.name)
	}
	for _, c := range first.charts {
		t.Charts = append(t.Charts, chartText{c.title, c.unit})
	}
	return t
}

//go:embed assets
var assets embed.FS

// templateOf returns the one of a name, which is parsed when its first page is written.
func templateOf(name string) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		return template.Must(template.New(name).ParseFS(assets, "assets/*"))
	})
}

var page = templateOf("page.html")
