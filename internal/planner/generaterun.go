package planner

import (
	"context"
	"math"
	"path/filepath"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/tensor"
)

// generateVerb names the command.
const generateVerb = "image generate"

// images are those of a task, as far as they are drawn. They are drawn in groups: every
// image has noise of its own, and is the same in any group.
type images struct {
	task          *GenerateTask
	watch         Watch
	pieces        *unfinished // nil without a folder
	shape         tensor.Shape
	height, width int
	steps         int
	decoding      int                // what decoding an image takes, in steps of an image
	size          int                // of a group
	pictures      []*dataset.Picture // nil where there is none yet
	latents       tensor.Batch
	lost          int
	seconds       float64
}

// group is images lo to hi-1 of a task, which are drawn together.
type group struct{ lo, hi int }

// Run implements [Task].
func (t *GenerateTask) Run(ctx context.Context, w Watch, f *Folder) (*Outcome[GenerateSummary], error) {
	d, err := t.drawing(w, f)
	if err != nil {
		return nil, err
	}
	if err := d.draw(ctx, d.missing()); err != nil {
		return nil, d.pieces.failed(err)
	}
	out := t.outcome(d)
	out.parts = stoppable(ctx, out.parts)
	return out, out.writeTo(f)
}

// drawing prepares the images of a task.
func (t *GenerateTask) drawing(w Watch, f *Folder) (d *images, err error) {
	d = &images{task: t, watch: w, pictures: make([]*dataset.Picture, t.draw.Images)}
	d.height, d.width = t.size()
	if d.shape, err = t.model.Codec.Latent(d.height, d.width); err != nil {
		return nil, err
	}
	dynamics, err := t.model.Dynamics(t.draw.Sampler)
	if err != nil {
		return nil, err
	}
	d.steps, d.latents = dynamics.Steps(), tensor.New(t.draw.Images, d.shape...)
	if err := d.measure(); err != nil {
		return nil, err
	}
	s := t.claim(d.height, d.width)
	d.pieces, err = keep(f, generateVerb, "image", t.draw.Images, s, generateVerb, s)
	return d, err
}

// size returns that of the images.
func (t *GenerateTask) size() (height, width int) {
	height, width = t.model.Size()
	return value(t.Request.Height, height), value(t.Request.Width, width)
}

// mostWork is how many operations an interruption may cost, unless a single image takes
// more: minutes of two cores.
const mostWork = 3e13

// measure finds out how many images are worth drawing together, and how long decoding one
// takes. More of them at a time use the network's weights better, which in a small network
// is much of the time; fewer lose less by an interruption, and need less memory.
func (d *images) measure() error {
	t := d.task
	run := latent.Run{Latent: d.shape, Latents: 1, Steps: d.steps, Passes: 1}
	if t.draw.Guidance != 0 && t.draw.Guidance != 1 && t.model.Text != nil && t.model.Net.Config().GuidanceDim == 0 {
		run.Passes = 2
	}
	work, err := t.model.Work(run)
	if err != nil {
		return err
	}
	d.decoding = max(1, int(math.Round(work.Decode/work.Denoise*float64(d.steps))))
	d.size = max(1, int(min(mostWork/(work.Denoise+work.Decode), float64(t.model.Chunk(d.shape)))))
	if t.together > 0 {
		d.size = t.together
	}
	for d.size > 1 && t.model.CheckRoom(2*min(d.size, t.draw.Images), t.draw.Images, d.height, d.width) != nil {
		d.size /= 2 // there is room for a group, what the last one leaves behind, and all pictures
	}
	return nil
}

// generateClaim says what images depend on. Each is the same whatever others are drawn.
type generateClaim struct {
	Inputs     map[string]string `json:"inputs"` // digests
	Decoder    string            `json:"decoder,omitempty"`
	Prompt     string            `json:"prompt"`
	Negative   string            `json:"negative-prompt"`
	Guidance   float64           `json:"guidance"`
	Sampler    string            `json:"sampler"`
	Spacing    string            `json:"spacing"`
	Sigmas     string            `json:"sigmas"`
	Steps      int               `json:"sampling-steps"`
	Eta        float64           `json:"eta"`
	NoiseScale float64           `json:"noise-scale"`
	Control    float64           `json:"control"`
	Height     int               `json:"height"`
	Width      int               `json:"width"`
	First      int               `json:"first"`
	Seed       uint64            `json:"seed"`
}

func (t *GenerateTask) claim(height, width int) generateClaim {
	r := t.draw
	c := generateClaim{
		Inputs: digests(t.inputs), Prompt: r.Prompt, Negative: r.Negative, Guidance: r.Guidance, Sampler: r.Method, Spacing: r.Spacing, Sigmas: r.Sigmas,
		Steps: r.Steps, Eta: r.Eta, NoiseScale: r.NoiseScale, Height: height, Width: width, First: r.First, Seed: r.Seed,
	}
	if _, file := t.inputs["decoder"]; !file {
		c.Decoder = t.Request.Decoder
	}
	if r.Steer != nil {
		c.Control = r.Steer.Scale
	}
	return c
}

// missing takes up what is kept, and returns the groups that are to be drawn.
func (d *images) missing() (all []group) {
	total := len(d.pictures)
	for at := 0; at < total; {
		if n := d.takeUp(at); n > 0 {
			at += n
			continue
		}
		g := group{at, min(at+d.size, total)}
		all = append(all, g)
		at = g.hi
	}
	return all
}

// takeUp takes up the images of the piece that begins with image lo, if it is kept, and
// returns how many. A piece that has more of them than are asked for stays where it is.
func (d *images) takeUp(lo int) int {
	if d.pieces == nil {
		return 0
	}
	first := d.task.draw.First + lo
	p, err := readImagePiece(filepath.Join(d.pieces.Dir(), imagePieceName(first)), d.shape, d.height, d.width)
	if err != nil || p.First != first {
		return 0 // anything else is drawn again
	}
	g := group{lo, min(lo+p.Images, len(d.pictures))}
	if g.hi-lo == p.Images {
		d.paths(g)
	}
	d.enter(g, p)
	return g.hi - lo
}

// paths returns the path of the piece of a group and those of its pictures, and says that
// they go when all images have their places.
func (d *images) paths(g group) (piece string, pictures []string) {
	name := imagePieceName(d.task.draw.First + g.lo)
	for _, ending := range []string{pieceArrays, pieceFacts} {
		d.pieces.Path(name + ending)
	}
	for k := g.lo; k < g.hi; k++ {
		pictures = append(pictures, d.pieces.Path(imageFile(k)))
	}
	return filepath.Join(d.pieces.Dir(), name), pictures
}

// enter enters the images of a piece.
func (d *images) enter(g group, p *imagePiece) {
	copy(d.pictures[g.lo:g.hi], p.pictures)
	copy(d.latents.Rows(g.lo, g.hi).Data, p.latents.Data)
	d.lost, d.seconds = p.Lost, d.seconds+p.Seconds
	d.pieces.advance(g.hi - g.lo)
}

// draw draws groups, and keeps each.
func (d *images) draw(ctx context.Context, groups []group) error {
	total, done := 0, 0
	for _, g := range groups {
		total += g.hi - g.lo
	}
	d.pieces.begin(d.watch)
	p, ctx := preview{d, groups}, memory.Asked(ctx)
	if err := p.begin(); err != nil {
		return err
	}
	for k, g := range groups {
		r := d.task.draw
		r.First, r.Images = r.First+g.lo, g.hi-g.lo
		r.Progress = d.progress(done, total, r.Images)
		r.Preview = p.of(k)
		drawn, err := d.task.model.Generate(ctx, r)
		if err != nil {
			return err
		}
		if err := d.keep(g, drawn); err != nil {
			return err
		}
		if err := p.drawn(k); err != nil {
			return err
		}
		done += r.Images
	}
	return nil
}

// progress returns what reports how much is done of images that are to be drawn, where done
// of them are and n are being drawn.
func (d *images) progress(done, total, n int) func(stage string, at, of int) {
	each := d.steps + d.decoding
	return func(stage string, at, _ int) {
		steps := done * each
		switch stage {
		case "denoise":
			steps += n * at
		case "decode":
			steps += n*d.steps + at*d.decoding
		}
		d.watch.progress("drawing", steps, total*each)
	}
}

// keep enters what was drawn, and keeps it where there is a folder: the pictures first, for
// people, then the piece, which says that all of it is there.
func (d *images) keep(g group, drawn *latent.Result) error {
	p := &imagePiece{drawn.Latents, drawn.Pictures, imageFacts{d.task.draw.First + g.lo, g.hi - g.lo, drawn.Lost, drawn.Sampling.Seconds.Total}}
	if d.pieces != nil {
		if err := d.pieces.Make(); err != nil {
			return err
		}
		piece, pictures := d.paths(g)
		for k, path := range pictures {
			if err := p.pictures[k].WritePNG(path); err != nil {
				return err
			}
		}
		if err := p.write(piece); err != nil {
			return err
		}
	}
	d.enter(g, p)
	return nil
}
