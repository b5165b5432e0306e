package planner

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/internal/pyjson"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/modelfile"
)

// GenerateRequest asks for images of a latent diffusion model. A nil field is left to the
// task.
type GenerateRequest struct {
	// Request holds what the model needs; Height, Width, Eta, NoiseScale and Steer are set
	// by the fields below.
	latent.Request
	Model   string // folder or file; the model that ships without
	Decoder string // full, tiny, or the path of a tiny autoencoder; "" is full
	// Sampler is one of [latent.Methods], or [latent.Published], the model's own. Spacing and Sigmas, which
	// the embedded request has, are as the model's scheduler says if empty.
	Sampler string
	// Eta is the noise of ddim, or how far tcd goes, 0 if left out; NoiseScale multiplies
	// the noise of ddpm, 1 if left out.
	Eta, NoiseScale *float64
	Height, Width   *int // pixels; those that the model was trained on if left out
	Columns         *int // of the grid; as many as rows if left out
	// Edges is a PNG or JPEG file along whose edges images are drawn, if any. Control says how
	// strongly; as published if left out.
	Edges   string
	Control *float64
}

// GenerateSummary is what drawing images amounts to.
type GenerateSummary struct {
	Images   int      `json:"images"`
	Height   int      `json:"height"`
	Width    int      `json:"width"`
	Steps    int      `json:"steps"`
	Visited  int      `json:"visited,omitempty"` // timesteps, where the offset of the first leaves fewer than steps
	Sampler  string   `json:"sampler"`
	Clip     float64  `json:"clip,omitempty"`       // what estimates of latents are limited to either side, if they are
	Stands   string   `json:"stands_for,omitempty"` // the scheduler that the sampler is the nearest relative of
	Measured string   `json:"measured,omitempty"`   // what the network predicts, where nothing says so
	Named    string   `json:"named,omitempty"`      // the scheduler that its file names, where model_index.json names another and the sampler is that of either
	Indexed  string   `json:"indexed,omitempty"`    // that other one
	Instead  string   `json:"instead,omitempty"`    // its sampler, if there is one
	Prompt   string   `json:"prompt"`
	Negative string   `json:"negative_prompt,omitempty"`
	Guidance float64  `json:"guidance"`
	Edges    string   `json:"edges,omitempty"`
	Control  float64  `json:"control,omitempty"`
	Lost     int      `json:"tokens_lost"`       // of the prompts, which were too long
	Unheard  string   `json:"unheard,omitempty"` // the prompt that the guidance has no ear for, if any
	Seed     uint64   `json:"seed"`
	Seconds  float64  `json:"seconds"` // of sampling
	Files    []string `json:"files"`
}

// GenerateTask is a request for images.
type GenerateTask struct {
	Request GenerateRequest
	// Preview, if not nil, gets a sheet of the first images as they are going to be, some
	// times during sampling.
	Preview func(done, total int, sheet *dataset.Picture) error

	model    *pair.Model
	draw     latent.Request
	together int              // images of a group, 0 for as many as are worth it
	stands   string           // the scheduler that the sampler stands for, if another
	clip     float64          // of estimates; 0 is none
	visited  int              // timesteps, where they are fewer than the steps; otherwise 0
	silent   bool             // nothing says what the network predicts
	named    string           // the scheduler that its file names, where model_index.json names another and the sampler is that of either
	indexed  string           // that other one
	edges    *dataset.Picture // nil without
	inputs   map[string]manifest.Input
}

// Check implements [Task]. It opens the model and reads the picture of the edges.
func (t *GenerateTask) Check() (err error) {
	r := t.Request
	t.draw, t.inputs = r.Request, map[string]manifest.Input{}
	if err := t.sampler(); err != nil {
		return err
	}
	if r.Edges == "" && r.Control != nil {
		return &RequestError{Field: "control", Value: *r.Control, Reason: "which steers by --edges, which is missing"}
	}
	if err := first(within(ImageImages, &r.Images), within(ImageSteps, &r.Steps), within(ImageHeight, r.Height), within(ImageWidth, r.Width),
		within(ImageColumns, r.Columns), within(ImageGuidance, &r.Guidance), within(ImageEta, r.Eta), within(ImageNoise, r.NoiseScale), within(ImageControl, r.Control)); err != nil {
		return err
	}
	t.draw.Height, t.draw.Width = value(r.Height, 0), value(r.Width, 0)
	if last := r.First + r.Images - 1; last > int(settings.First.High) {
		return &RequestError{Field: "first", Value: r.First, Reason: fmt.Sprintf("want at most %d for %s", int(settings.First.High)-r.Images+1, plural.Of(r.Images, "image"))}
	}
	if t.model, err = openLatent(r.Model, t.inputs); err != nil {
		return err
	}
	if err = t.room(); err != nil {
		return err
	}
	if err = t.ambiguous(); err != nil {
		return err
	}
	if err := useDecoder(t.model.Model, r.Decoder, t.inputs); err != nil {
		return err
	}
	if r.Sampler == latent.Published {
		t.draw.Method, t.stands = t.model.Noise.Published()
		if err := t.noise(); err != nil {
			return err
		}
	}
	if err := t.sampled(); err != nil {
		return err
	}
	return t.steer()
}

// room refuses images of sides that the model has not, and those that the memory has no room
// for: a group, with what networks leave behind, and the pictures of all of them.
func (t *GenerateTask) room() error {
	const group = 8
	height, width := t.size()
	return t.model.CheckRoom(min(t.draw.Images, group), t.draw.Images, height, width)
}

// ambiguous finds what the files of a model leave open, or say in two ways.
func (t *GenerateTask) ambiguous() error {
	if t.Request.Model == "" {
		return nil // the model that ships
	}
	f, err := modelfile.OpenFolder(t.Request.Model)
	if err != nil {
		return err
	}
	t.silent = f.Undecided
	if t.Request.Sampler != latent.Published {
		return nil // one is chosen, whichever class the scheduler has
	}
	p, err := f.Part("scheduler")
	if err != nil {
		return err
	}
	raw, err := p.ReadSettings()
	if err != nil {
		return err
	}
	var file struct {
		Class string `json:"_class_name"`
	}
	if err := json.Unmarshal(pyjson.Standard(raw), &file); err != nil || file.Class == "" || file.Class == p.Class {
		return nil // what is wrong with the file was said when the model was opened
	}
	t.named, t.indexed = file.Class, p.Class
	return nil
}

// instead returns the sampler of the scheduler that model_index.json names, if there is one.
func (t *GenerateTask) instead() string {
	text, err := json.Marshal(map[string]string{"_class_name": t.indexed})
	if err != nil {
		return ""
	}
	n, err := latent.ParseNoise(text)
	if err != nil {
		return ""
	}
	method, _ := n.Published()
	return method
}

// sampled refuses what the model's scheduler says to the sampler that is not sampled here, and names
// a sampler that does without, if one does.
func (t *GenerateTask) sampled() error {
	d, err := t.model.Dynamics(t.draw.Sampler)
	if err == nil {
		t.clip = d.Transition(0, t.model.Noise.Prediction).Estimate.Clip
		if d.Steps() < t.draw.Steps {
			t.visited = d.Steps()
		}
	}
	var setting *latent.SettingError
	if !errors.As(err, &setting) || setting.Where == "" {
		return err
	}
	for _, other := range []string{"ddim", "euler", "dpm++2m", "plms"} {
		s := t.draw.Sampler
		s.Method, s.Eta, s.NoiseScale = other, 0, 1
		if _, failed := t.model.Dynamics(s); failed == nil {
			return &RequestError{Field: "sampler", Value: quoted(t.Request.Sampler), Err: fmt.Errorf("%w; --sampler %s does without", err, other)}
		}
	}
	return err
}

// sampler reads the settings of the sampler.
func (t *GenerateTask) sampler() error {
	r := t.Request
	if names := append(latent.Methods(), latent.Published); !slices.Contains(names, r.Sampler) {
		return &RequestError{Field: "sampler", Value: quoted(r.Sampler), Reason: "want one of " + strings.Join(names, ", ")}
	}
	t.draw.Method = r.Sampler
	t.draw.Eta, t.draw.NoiseScale = value(r.Eta, 0), value(r.NoiseScale, 1)
	if r.Sampler == latent.Published { // which one that is, the model says
		return nil
	}
	return t.noise()
}

// noise refuses settings of the noise that the sampler does not have.
func (t *GenerateTask) noise() error {
	r, is := t.Request, ""
	if r.Sampler == latent.Published {
		is = "; the model's own is " + t.draw.Method
	}
	switch {
	case r.Eta != nil && t.draw.Method != "ddim" && t.draw.Method != "tcd":
		return &RequestError{Field: "eta", Value: *r.Eta, Reason: "which is of --sampler ddim and tcd" + is + "; the noise of ddpm is --noise-scale"}
	case r.NoiseScale != nil && t.draw.Method != "ddpm":
		return &RequestError{Field: "noise-scale", Value: *r.NoiseScale, Reason: "which is of --sampler ddpm" + is + "; the noise of ddim is --eta"}
	}
	return nil
}

// steer makes the edges of a picture steer the images, if there is one.
func (t *GenerateTask) steer() error {
	r := t.Request
	if r.Edges == "" {
		return nil
	}
	picture, err := dataset.ReadPicture(r.Edges)
	if err != nil {
		return err
	}
	net := t.model.Control
	if net == nil {
		if net, err = t.model.OpenControl(); err != nil {
			return err
		}
	}
	if err := enterFile(t.inputs, "edges", r.Edges); err != nil {
		return err
	}
	height, width := t.model.Size()
	picture = picture.Resize(value(r.Width, width), value(r.Height, height))
	t.draw.Steer = &latent.Steering{Net: net, Hint: latent.Edges(picture), Scale: value(r.Control, published.ControlScale)}
	t.edges = picture.Canny(published.EdgesLow, published.EdgesHigh)
	return nil
}

// Files implements [Task].
func (t *GenerateTask) Files() []string {
	return append(imageFiles(t.Request.Images), latentsFile, edgesFile)
}

// unheard returns the prompt that the guidance does not listen to: none where its strength is an
// input of the network.
func (t *GenerateTask) unheard() string {
	switch r := t.draw; {
	case t.model.Text == nil || t.model.Net.Config().GuidanceDim > 0:
	case r.Guidance == 0 && r.Prompt != "":
		return "prompt"
	case r.Guidance == 1 && r.Negative != "":
		return "negative prompt"
	}
	return ""
}

// outcome gathers what the images give.
func (t *GenerateTask) outcome(d *images) *Outcome[GenerateSummary] {
	r := t.draw
	s := &GenerateSummary{
		Images: r.Images, Height: d.height, Width: d.width, Steps: r.Steps, Sampler: r.Method, Stands: t.stands, Prompt: r.Prompt,
		Negative: r.Negative, Guidance: r.Guidance, Edges: t.Request.Edges, Lost: d.lost, Seed: r.Seed, Seconds: d.seconds,
	}
	if r.Steer != nil {
		s.Control = r.Steer.Scale
	}
	s.Clip, s.Visited, s.Named, s.Indexed = t.clip, t.visited, t.named, t.indexed
	if t.indexed != "" {
		s.Instead = t.instead()
	}
	if t.silent {
		s.Measured = t.model.Noise.Prediction.String()
	}
	s.Unheard = t.unheard()
	out := &Outcome[GenerateSummary]{Name: generateVerb, pieces: d.pieces, Summary: s, Seed: r.Seed, Settings: *s, Inputs: t.inputs}
	out.setFiles = func(files []string) { s.Files = files }
	out.parts = func() ([]part, error) {
		parts := imageParts(d.pictures, value(t.Request.Columns, 0))
		if t.edges != nil {
			parts = append(parts, part{edgesFile, t.edges.WritePNG})
		}
		return append(parts, part{latentsFile, func(path string) error { return writeLatents(path, d.latents) }}), nil
	}
	return out
}
