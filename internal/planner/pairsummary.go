package planner

import (
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/pair"
)

// PairSummary is what pairs of images amount to.
type PairSummary struct {
	Status     manifest.Status `json:"status"` // "finished": others are not summarised
	Method     pair.Method     `json:"method"`
	Model      string          `json:"model"`
	Pairs      int             `json:"pairs"`
	First      int             `json:"first"`
	Seed       uint64          `json:"seed"`
	Steps      int             `json:"steps"`
	Attribute  pair.Attribute  `json:"attribute"`
	Rotation   int             `json:"rotation,omitempty"`
	Projection string          `json:"projection,omitempty"`
	Timesteps  string          `json:"timesteps,omitempty"`
	Box        float64         `json:"box,omitempty"`
	pair.Choices
	CoupledBy   string           `json:"coupled_by,omitempty"`  // the model whose classifier, or guide, drives images of several models apart
	JudgedBy    string           `json:"judged_by,omitempty"`   // the model whose judge says what they show
	Clip        float64          `json:"clip,omitempty"`        // what estimates of latents are limited to either side, if they are
	Lost        int              `json:"tokens_lost,omitempty"` // of a prompt, which was too long
	Members     []PairMember     `json:"members"`
	XOR         *float64         `json:"xor,omitempty"` // share of pairs whose attribute differs, by the judge
	Drawn       []PairImages     `json:"drawn"`
	Certificate pair.Certificate `json:"certificate"`
	Seconds     pair.Seconds     `json:"seconds"`
	Files       []string         `json:"files"`
}

// PairMember sums up one image of all pairs.
type PairMember struct {
	Name      string   `json:"name"`
	Exemplars []string `json:"exemplars,omitempty"` // their names
	Male      *float64 `json:"male,omitempty"`      // mean probability by the judge
}

// PairImages are the images of a pair.
type PairImages struct {
	Pair    int         `json:"pair"`
	Weights [][]float32 `json:"weights,omitempty"` // in the end, by member
	Answers []string    `json:"answers,omitempty"` // of the judge, by member
	Differ  *bool       `json:"differ,omitempty"`
}

// summarise returns the summary of a finished run.
func (d *drawing) summarise() *PairSummary {
	r, run := d.result, d.task.Options
	s := &PairSummary{
		Status: manifest.Finished, Method: run.Method, Model: orElse(d.task.Request.Model, run.Model.Path), Pairs: run.Pairs, First: run.First, Seed: run.Seed,
		Steps: len(r.Timesteps), Attribute: run.Attribute, Rotation: run.Rotation, Box: run.Box, Choices: r.Choices,
		Certificate: r.Certificate, Seconds: r.Seconds, Files: []string{},
	}
	if run.Method.Projected() {
		s.Projection, s.Timesteps = orElse(d.task.Request.Projection, ExactProjection), orElse(run.Timesteps, "all")
	}
	judged := r.Members[0].Opinions != nil
	for i, m := range run.Members {
		member := PairMember{Name: r.Members[i].Name}
		if run.Method.Projected() {
			for _, e := range m.Exemplars {
				member.Exemplars = append(member.Exemplars, e.Name)
			}
		}
		if judged && len(r.Members[i].Opinions[0][pair.Gender]) > 0 {
			male := r.Share(i, pair.Gender, 0)
			member.Male = &male
		}
		s.Members = append(s.Members, member)
	}
	if judged {
		xor := r.XOR()
		s.XOR = &xor
	}
	d.own(s, judged)
	d.list(s)
	return s
}

// own enters whose classifiers couple and judge what other models than that of the request draw.
func (d *drawing) own(s *PairSummary, judged bool) {
	t := d.task
	if t.Request.ModelA == "" && t.Request.ModelB == "" {
		return
	}
	switch m := t.Options.Model; {
	case s.Method.Coupled():
		s.CoupledBy = t.ownerOf(m.Classifier)
	case s.Method.Guided():
		s.CoupledBy = t.ownerOf(m.Guide)
	}
	if judged {
		s.JudgedBy = t.ownerOf(t.Options.Model.Judge)
	}
}

// list enters every pair.
func (d *drawing) list(s *PairSummary) {
	r := d.result
	names, satisfied := r.Request.Attribute.Names(r.Groups), r.Satisfied()
	for k := range s.Pairs {
		p := PairImages{Pair: s.First + k}
		for i := range r.Members {
			m := &r.Members[i]
			if m.Weights != nil {
				if w := m.Final(k); w[0] == w[0] { // after a projection
					p.Weights = append(p.Weights, w)
				}
			}
			if satisfied != nil {
				answer := m.Opinions[k].Answer(s.Attribute, r.Groups)
				p.Answers = append(p.Answers, names[answer])
			}
		}
		if satisfied != nil {
			p.Differ = &satisfied[k]
		}
		s.Drawn = append(s.Drawn, p)
	}
}

// pairSettings is what a manifest records of pairs of images.
type pairSettings struct {
	Request PairRequest  `json:"request"`
	Choices pair.Choices `json:"choices"`
	Steps   int          `json:"steps"`
	Groups  [][]int      `json:"groups"`
	Members []PairMember `json:"members"`
}

func (d *drawing) settings() pairSettings {
	return pairSettings{d.task.Request, d.result.Choices, len(d.result.Timesteps), d.result.Groups, d.summary.Members}
}
