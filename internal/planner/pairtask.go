package planner

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/render"
)

// pairVerb names the command.
const pairVerb = "pair"

// drawing is what the pairs of a task become.
type drawing struct {
	task    *PairTask
	result  *pair.Result
	summary *PairSummary
	view    render.ImageView
	pieces  *unfinished // nil without a folder
}

// defaultFrames is how many steps a page shows of small images; of large ones, whose
// decoding takes long, it shows a few.
const (
	defaultFrames = 12
	largeFrames   = 3
	large         = 256 // pixels of a side
)

// Files implements [Task].
func (t *PairTask) Files() []string {
	return []string{"pair.json", "pair.npz", "pair.png", "pair.html"}
}

// Run implements [Task].
func (t *PairTask) Run(ctx context.Context, w Watch, f *Folder) (*Outcome[PairSummary], error) {
	d, err := t.draw(ctx, w, f)
	if err != nil {
		return nil, err
	}
	out, err := d.outcome()
	if err != nil {
		return nil, err
	}
	out.parts = stoppable(ctx, out.parts)
	return out, out.writeTo(f)
}

// draw draws the pairs. With a folder, pairs that are done are kept there until all are: a
// task that was interrupted continues.
func (t *PairTask) draw(ctx context.Context, w Watch, folder *Folder) (*drawing, error) {
	run, total := t.Options, 0
	if folder != nil {
		run.Frames = value(t.Request.Frames, defaultFrames)
		if h, _ := run.Model.Size(); h > large && t.Request.Frames == nil {
			run.Frames = largeFrames
		}
	}
	before := 0 // steps of the pieces that are done
	run.Progress = func(stage string, done, of int) {
		switch stage {
		case "denoise":
			w.progress("denoising", before+done, total)
		case "decode":
			w.progress("decoding", done, of)
		}
	}
	s, err := pair.Prepare(ctx, run)
	if err != nil {
		return nil, err
	}
	out := &drawing{task: t}
	if out.pieces, err = t.keeper(folder, run); err != nil {
		return nil, err
	}
	if err := estimate(ctx, run, w); err != nil {
		return nil, err
	}
	var pieces []*pair.Result
	size := s.Piece()
	total = (run.Pairs + size - 1) / size * s.Steps()
	for done := 0; done < run.Pairs; done += size {
		p, err := drawPiece(ctx, s, out.pieces, w, run.First+done, min(size, run.Pairs-done))
		if err != nil {
			return nil, out.pieces.failed(err)
		}
		pieces = append(pieces, p)
		out.pieces.advance(p.Request.Pairs)
		before += s.Steps()
	}
	out.result = pair.Join(pieces...)
	if err := s.Finish(ctx, out.result); err != nil {
		return nil, out.pieces.failed(err)
	}
	out.summary = out.summarise()
	out.summary.Clip, out.summary.Lost = s.Clip(), s.Lost()
	out.view, err = out.images(ctx, s)
	return out, err
}

// estimate reports how long a request will take, and the published one.
func estimate(ctx context.Context, run pair.Request, w Watch) error {
	if w.Estimate == nil {
		return nil
	}
	e, err := run.Estimate(ctx)
	if err != nil {
		return err
	}
	run.Pairs, run.Steps = publishedPairs, publishedSteps
	published, err := run.Work()
	if err == nil {
		w.Estimate(e.Seconds, published.Seconds(e.Rate))
	}
	return err
}

// The published run.
const (
	publishedPairs = 25
	publishedSteps = 100
)

// keeper keeps the pieces of a request in a folder: pairs of the same settings, model and
// exemplars.
func (t *PairTask) keeper(folder *Folder, run pair.Request) (*unfinished, error) {
	r := t.Request
	r.Pairs = nil
	identity := []any{r, run.Frames, t.inputs}
	if r.Timesteps != "" || len(run.Members) > 3 {
		identity = append(identity, 2) // drawn otherwise before there were free steps and four ages: older pieces are no part of them
	}
	return keep(folder, pairVerb, "pair", run.Pairs, pairClaim{r, run.Frames, digests(t.inputs)}, identity...)
}

// pairClaim says what pairs depend on.
type pairClaim struct {
	PairRequest
	Frames int               `json:"frames"`
	Inputs map[string]string `json:"inputs"`
}

// digests returns those of inputs.
func digests(inputs map[string]manifest.Input) map[string]string {
	out := map[string]string{}
	for name, in := range inputs {
		out[name] = in.SHA256
	}
	return out
}

// drawPiece draws a piece, or reads it where it is kept.
func drawPiece(ctx context.Context, s *pair.Session, in *unfinished, w Watch, first, n int) (*pair.Result, error) {
	if in == nil {
		return s.Draw(ctx, first, n)
	}
	name := fmt.Sprintf("pairs-%06d", first)
	for _, ending := range pair.KeptEndings {
		in.Path(name + ending)
	}
	path := filepath.Join(in.Dir(), name)
	if p, err := s.Kept(path); err == nil && p.Request.First == first && p.Request.Pairs == n {
		return p, nil // anything else is drawn again
	}
	in.begin(w)
	p, err := s.Draw(ctx, first, n)
	if err != nil {
		return nil, err
	}
	if err := in.Make(); err != nil {
		return nil, err
	}
	return p, s.Keep(path, p)
}

// outcome gathers what the pairs give.
func (d *drawing) outcome() (*Outcome[PairSummary], error) {
	arrays, err := d.result.Arrays()
	if err != nil {
		return nil, err
	}
	out := &Outcome[PairSummary]{
		Name: pairVerb, pieces: d.pieces, Summary: d.summary, Seed: d.task.Options.Seed, Settings: d.settings(), Inputs: d.task.inputs, Arrays: arrays, Verdict: d.verdict(),
		setFiles: func(files []string) { d.summary.Files = files },
	}
	out.parts = func() ([]part, error) { return d.parts(arrays) }
	return out, nil
}

// verdict returns what the pairs miss: a certificate that their method promises.
func (d *drawing) verdict() error {
	c := d.result.Certificate
	if !d.task.Options.Method.Projected() || c.Certified {
		return nil
	}
	worst := c.MaxResidual - c.Bound
	if c.MaxBeyondBox > 0 {
		worst = c.MaxBeyondBox
	}
	return &pcd.UncertifiedError{Set: c.Member, Sample: c.Pair, Violation: worst}
}

// parts makes the summary, the arrays, the sheet of all pairs and a page of the first ones.
func (d *drawing) parts(arrays []dataset.Array) ([]part, error) {
	sheet, err := render.ImageSheet(d.view)
	if err != nil {
		return nil, err
	}
	shown := d.view
	shown.Tuples = shown.Tuples[:min(len(shown.Tuples), shownImages)]
	page, err := render.NewImagePage(shown)
	if err != nil {
		return nil, err
	}
	return []part{
		{"pair.json", func(path string) error { return atomicfile.WriteJSON(path, d.summary) }},
		{"pair.npz", func(path string) error { return dataset.WriteNPZ(path, arrays...) }},
		{"pair.png", sheet.WritePNG},
		{"pair.html", page.Save},
	}, nil
}
