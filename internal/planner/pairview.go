package planner

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/render"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/tensor"
)

// shownImages is how many pairs a page holds at most.
const shownImages = 12

// images returns what pictures show of pairs; the frames are decoded for those pairs
// that a page shows.
func (d *drawing) images(ctx context.Context, s *pair.Session) (render.ImageView, error) {
	r, run := d.result, d.task.Options
	v := render.ImageView{Title: fmt.Sprintf("%s of images: %s", plural.Of(run.Pairs, "pair"), run.Method.About()), Note: d.note(), Timesteps: r.Timesteps}
	for i, m := range run.Members {
		member := render.ImageMember{Name: r.Members[i].Name}
		if r.Members[i].Weights != nil {
			for _, e := range m.Exemplars {
				member.Exemplars = append(member.Exemplars, e.Picture)
			}
		}
		v.Members = append(v.Members, member)
	}
	for _, f := range r.Frames {
		v.Frames = append(v.Frames, f.Step)
	}
	for k := range run.Pairs {
		v.Tuples = append(v.Tuples, d.tuple(k, len(v.Frames)))
	}
	for i := range r.Members {
		pictures := latent.Pictures(r.Members[i].Images)
		for k, p := range pictures {
			v.Tuples[k].Images = append(v.Tuples[k].Images, p)
		}
		if err := d.frames(ctx, s, i, v.Tuples[:min(len(v.Tuples), shownImages)]); err != nil {
			return v, err
		}
	}
	return v, nil
}

// tuple returns a pair without its images.
func (d *drawing) tuple(k, frames int) render.ImageTuple {
	r := d.result
	t := render.ImageTuple{Name: fmt.Sprint("pair ", r.Request.First+k), Facts: d.facts(k)}
	for i := range r.Members {
		m := &r.Members[i]
		t.Frames = append(t.Frames, make([]*dataset.Picture, frames))
		if m.Weights == nil {
			t.Weights = append(t.Weights, nil)
			continue
		}
		var history [][]float32
		for step := range r.Timesteps {
			w := m.WeightsAt(step, k)
			if w[0] != w[0] { // not projected
				w = nil
			}
			history = append(history, w)
		}
		t.Weights = append(t.Weights, history)
	}
	return t
}

// frames decodes the frames of a member for some pairs.
func (d *drawing) frames(ctx context.Context, s *pair.Session, member int, tuples []render.ImageTuple) error {
	for f, frame := range d.result.Frames {
		x := frame.Latents[member].Rows(0, len(tuples))
		images := d.result.Members[member].Images.Rows(0, len(tuples))
		if frame.Step < len(d.result.Timesteps)-1 {
			var err error
			if images, err = s.Decode(ctx, member, x, &d.result.Seconds); err != nil {
				return err
			}
		}
		for k, p := range latent.Pictures(tensor.Batch{N: images.N, Shape: images.Shape, Data: images.Data}) {
			tuples[k].Frames[member][f] = p
		}
	}
	return nil
}

// note says in a line what the pairs were drawn with and whether they are certified.
func (d *drawing) note() string {
	c := d.result.Choices
	note := fmt.Sprintf("noise scale %.3g", c.NoiseScale)
	if c.Gamma > 0 {
		note = fmt.Sprintf("γ = %.4g, ", c.Gamma) + note
	}
	switch x := d.result.Certificate; {
	case x.Certified:
		note += fmt.Sprintf("; all %d projected latents are certified to lie in the hulls", x.Latents)
	case d.task.Options.Method.Projected():
		note += "; not certified"
	}
	return note
}

// facts says what the judge thinks of a pair.
func (d *drawing) facts(k int) (facts []render.Fact) {
	p := d.summary.Drawn[k]
	for i, answer := range p.Answers {
		facts = append(facts, render.Fact{Name: d.result.Members[i].Name, Value: answer})
	}
	if p.Differ != nil {
		facts = append(facts, fact(string(d.summary.Attribute), *p.Differ, "as asked for", "not as asked for"))
	}
	return facts
}
