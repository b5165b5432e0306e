package planner

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/render"
	"github.com/go-pcd/pcd/pair"
)

// PairWatch is told how far pairs of images are. Its functions may be nil.
type PairWatch struct {
	Steps  func(done, total int) // denoising steps
	Decode func(done, total int) // images
	// Estimate is told before the first step how many seconds the request will take, and
	// how many the published 25 pairs and 100 steps would.
	Estimate func(run, published float64)
}

// PairOutcome is what a request for pairs of images gives.
type PairOutcome struct {
	Summary *PairSummary
	Result  *pair.Result
	// Verdict is nil when the outcome keeps its promises, else a [pcd.UncertifiedError].
	Verdict error

	task   *PairTask
	view   render.ImageView
	pieces *manifest.Pieces // what was kept, or nil
}

// KeptError says how many pairs of a run that was interrupted or failed are kept.
type KeptError struct {
	Done, Total int
	Path        string // where they are
	Err         error  // why it ended
}

func (e *KeptError) Error() string {
	return fmt.Sprintf("%v: %d of %d pairs are kept in %s; the same command continues", e.Err, e.Done, e.Total, e.Path)
}

// Unwrap returns the cause.
func (e *KeptError) Unwrap() error { return e.Err }

// defaultFrames is how many steps a page shows of small images; of large ones, whose
// decoding takes long, it shows a few.
const (
	defaultFrames = 12
	largeFrames   = 3
	large         = 256 // pixels of a side
)

// Do draws the pairs of a checked task. With a folder, pairs that are done are kept there
// until all are: a task that was interrupted continues.
func (t *PairTask) Do(ctx context.Context, w PairWatch, folder *Folder) (*PairOutcome, error) {
	run, total := t.Run, 0
	if folder != nil {
		run.Frames = value(t.Request.Frames, defaultFrames)
		if h, _ := run.Model.Size(); h > large && t.Request.Frames == nil {
			run.Frames = largeFrames
		}
	}
	before := 0 // steps of the pieces that are done
	run.Progress = func(stage string, done, of int) {
		switch {
		case stage == "denoise" && w.Steps != nil:
			w.Steps(before+done, total)
		case stage == "decode" && w.Decode != nil:
			w.Decode(done, of)
		}
	}
	s, err := pair.Prepare(ctx, run)
	if err != nil {
		return nil, err
	}
	out := &PairOutcome{task: t}
	if folder != nil {
		if out.pieces, err = t.keeper(folder.out.Path(""), run); err != nil {
			return nil, err
		}
	}
	if err := estimate(ctx, run, w); err != nil {
		return nil, err
	}
	var pieces []*pair.Result
	size := s.Piece()
	total = (run.Pairs + size - 1) / size * s.Steps()
	for done := 0; done < run.Pairs; done += size {
		p, err := draw(ctx, s, out.pieces, run.First+done, min(size, run.Pairs-done))
		if err != nil {
			return nil, kept(err, done, run.Pairs, out.pieces)
		}
		pieces = append(pieces, p)
		before += s.Steps()
	}
	out.Result = pair.Join(pieces...)
	if err := s.Finish(ctx, out.Result); err != nil {
		return nil, kept(err, run.Pairs, run.Pairs, out.pieces)
	}
	return out, out.fill(ctx, s)
}

// kept returns the error of a run whose pieces are in a folder.
func kept(err error, done, total int, in *manifest.Pieces) error {
	if in == nil || done == 0 {
		return err
	}
	return &KeptError{done, total, in.Dir(), err}
}

// estimate tells a watch how long a request will take, and the published one.
func estimate(ctx context.Context, run pair.Request, w PairWatch) error {
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

// keeper returns the folder in which the pieces of a request are kept: pairs of the same
// settings, model and exemplars.
func (t *PairTask) keeper(folder string, run pair.Request) (*manifest.Pieces, error) {
	r := t.Request
	r.Pairs = nil
	identity := []any{r, run.Frames, t.inputs}
	if r.Timesteps != "" || len(run.Members) > 3 {
		identity = append(identity, 2) // drawn otherwise before there were free steps and four ages: older pieces are no part of them
	}
	return manifest.NewPieces(folder, identity...)
}

// draw draws a piece, or reads it where it is kept.
func draw(ctx context.Context, s *pair.Session, in *manifest.Pieces, first, n int) (*pair.Result, error) {
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
	p, err := s.Draw(ctx, first, n)
	if err != nil {
		return nil, err
	}
	if err := in.Make(); err != nil {
		return nil, err
	}
	return p, s.Keep(path, p)
}

// fill makes the summary, the verdict and the view.
func (o *PairOutcome) fill(ctx context.Context, s *pair.Session) error {
	o.Summary = o.summarise()
	c := o.Result.Certificate
	if o.task.Run.Method.Projected() && !c.Certified {
		worst := c.MaxResidual - c.Bound
		if c.MaxBeyondBox > 0 {
			worst = c.MaxBeyondBox
		}
		o.Verdict = &pcd.UncertifiedError{Set: c.Member, Sample: c.Pair, Violation: worst}
	}
	var err error
	o.view, err = o.images(ctx, s)
	return err
}

// Save writes the summary, the arrays, the sheet of all pairs, a page of the first ones
// and a manifest, and removes what was kept of the pairs.
func (o *PairOutcome) Save(f *Folder) error {
	arrays, err := o.Result.Arrays()
	if err != nil {
		return err
	}
	sheet, err := render.ImageSheet(o.view)
	if err != nil {
		return err
	}
	shown := o.view
	shown.Tuples = shown.Tuples[:min(len(shown.Tuples), shownImages)]
	page, err := render.NewImagePage(shown)
	if err != nil {
		return err
	}
	parts := []part{
		{"pair.json", func(path string) error { return atomicfile.WriteJSON(path, o.Summary) }},
		{"pair.npz", func(path string) error { return dataset.WriteNPZ(path, arrays...) }},
		{"pair.png", sheet.WritePNG},
		{"pair.html", page.Save},
	}
	o.Summary.Files = f.paths(PairFiles())
	f.out.Seed, f.out.Settings = o.task.Run.Seed, o.settings()
	for name, in := range o.task.inputs {
		f.out.Input(name, in)
	}
	if err := f.deliver("pair", parts); err != nil {
		return err
	}
	if o.pieces != nil {
		o.pieces.Remove()
	}
	return nil
}

// PairFiles lists the files of pairs of images but the manifest.
func PairFiles() []string { return []string{"pair.json", "pair.npz", "pair.png", "pair.html"} }
