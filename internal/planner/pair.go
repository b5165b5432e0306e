package planner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/latent"
)

// PairRequest asks for pairs of images. A nil or empty field is left to the task.
type PairRequest struct {
	Model string `json:"model,omitempty"` // folder; "" is the model that ships
	// ModelA and ModelB are folders of other models that draw the first and the second
	// image, and those that take their turns; they share the latents and the noise of Model,
	// whose classifiers couple and judge. "" is Model. Where Model is "" and both are given, those of ModelA do
	// if it has some; otherwise those of the model that ships, if ModelA shares its latents.
	ModelA string `json:"model_a,omitempty"`
	ModelB string `json:"model_b,omitempty"`
	// Decoder is full, tiny, or the path of a tiny autoencoder; "" is full.
	Decoder string `json:"decoder,omitempty"`
	// ExemplarsA and ExemplarsB are PNG or JPEG files, or folders of them, that the hulls of the
	// images of a pair are spanned by; further images take them by turns. Without any,
	// Drawn exemplars are drawn for each, see [pair.DrawMembers].
	ExemplarsA []string `json:"exemplars_a,omitempty"`
	ExemplarsB []string `json:"exemplars_b,omitempty"`
	Drawn      *int     `json:"exemplars,omitempty"` // 2 if left out

	Method    string `json:"method,omitempty"`    // "" is pcd
	Variables *int   `json:"variables,omitempty"` // images of a pair, up to [pair.MostTogether] without exemplars; 2 if left out
	Pairs     *int   `json:"pairs,omitempty"`     // 1 if left out
	First     int    `json:"first,omitempty"`     // number of the first
	Seed      uint64 `json:"seed,omitempty"`
	Steps     *int   `json:"steps,omitempty"` // 100 if left out

	Gamma      *float64 `json:"gamma,omitempty"`       // by [pair.Request.Choose] if left out
	NoiseScale *float64 `json:"noise_scale,omitempty"` // likewise
	// SyncWeight, SyncTogether and Control are of the baselines, see [pair.Request].
	SyncWeight   *float64 `json:"sync_weight,omitempty"`
	SyncTogether bool     `json:"sync_together,omitempty"`
	Control      *float64 `json:"control,omitempty"`
	Attribute    string   `json:"attribute,omitempty"` // "" is age
	Rotation     int      `json:"rotation,omitempty"`

	Projection   string   `json:"projection,omitempty"`    // exact or mirror-descent; "" is exact
	MDRate       *float64 `json:"md_rate,omitempty"`       // of mirror descent
	MDIterations *int     `json:"md_iterations,omitempty"` // likewise; 10000 if left out
	Timesteps    string   `json:"timesteps,omitempty"`     // that are projected; "" is all
	Box          *float64 `json:"box,omitempty"`           // bound of every number of a latent
	Posterior    string   `json:"posterior,omitempty"`     // of exemplars: mean or sample; "" is mean

	Prompt   string   `json:"prompt,omitempty"` // of prompted methods; "" is that of the model
	Guidance *float64 `json:"guidance,omitempty"`
	Frames   *int     `json:"frames,omitempty"` // steps that the page shows; chosen by the size of the model if left out
}

// The projections by name.
const (
	ExactProjection = "exact"
	MirrorDescent   = "mirror-descent"
)

// The prompts of prompted methods where none is given: what the model that ships was
// trained on, and the published one. Source: spec of the image experiment, prompt
// constants.
const (
	BundledPrompt   = "portrait of a person"
	PublishedPrompt = "High-resolution passport photo of a person, facing forward with a neutral expression. Wearing a plain white t-shirt, with a clean white background and even, soft lighting. The composition is centered and symmetrical, with the head at the center of the frame."
)

// PairTask is a checked request with its model and exemplars.
type PairTask struct {
	Request PairRequest
	Options pair.Request
	inputs  map[string]manifest.Input
	ships   bool // the model does

	leader   string               // the model whose classifiers couple and judge
	borrowed []*latent.Classifier // of the model that ships, in the places of those that the leader has not
}

// Check returns the task of a request, or says what is wrong with it.
func (r PairRequest) Check() (*PairTask, error) {
	t := &PairTask{Request: r}
	return t, t.Check()
}

// Check implements [Task]. It opens the model and reads or draws the exemplars.
func (t *PairTask) Check() error {
	t.inputs = map[string]manifest.Input{}
	if err := t.settings(); err != nil {
		return err
	}
	if err := t.members(); err != nil {
		return err
	}
	if err := t.open(); err != nil {
		return err
	}
	if err := t.models(); err != nil {
		return err
	}
	if t.Options.Method.Prompted() && t.Options.Prompt == "" {
		t.Options.Prompt = PublishedPrompt
		if t.ships {
			t.Options.Prompt = BundledPrompt
		}
	}
	return t.Options.Check()
}

// settings reads the words and numbers of the request.
func (t *PairTask) settings() (err error) {
	r, run := t.Request, &t.Options
	if run.Method, err = pair.ParseMethod(orElse(r.Method, string(pair.PCD))); err != nil {
		return &RequestError{Field: "method", Value: quoted(r.Method), Err: err}
	}
	if run.Attribute, err = pair.ParseAttribute(orElse(r.Attribute, string(pair.Age))); err != nil {
		return &RequestError{Field: "attribute", Value: quoted(r.Attribute), Err: err}
	}
	if err := first(within(PairVariables, r.Variables), within(PairPairs, r.Pairs), within(PairSteps, r.Steps), within(PairMDIterations, r.MDIterations),
		within(PairExemplars, r.Drawn), within(PairFrames, r.Frames), within(PairNoise, r.NoiseScale), within(PairSyncWeight, r.SyncWeight),
		within(PairControl, r.Control), within(PairMDRate, r.MDRate), within(PairBox, r.Box), within(PairGuidance, r.Guidance), within(PairGamma, r.Gamma)); err != nil {
		return err
	}
	run.Pairs, run.First, run.Seed, run.Steps = value(r.Pairs, DefaultPairs), r.First, r.Seed, value(r.Steps, 0)
	run.Rotation, run.Timesteps, run.Prompt = r.Rotation, r.Timesteps, r.Prompt
	return errors.Join(t.strengths(), t.projection())
}

// strengths reads what the coupling and the noise are multiplied by.
func (t *PairTask) strengths() error {
	r, run := t.Request, &t.Options
	m := run.Method
	idle := func(field string, v any, reason string) error {
		return &RequestError{Field: field, Value: v, Reason: fmt.Sprintf("which has no effect on %s: it %s", m, reason)}
	}
	switch {
	case r.Gamma != nil && !m.Coupled():
		return idle("gamma", *r.Gamma, "does not couple")
	case r.Guidance != nil && !m.Prompted():
		return idle("guidance", *r.Guidance, "has no prompt")
	case r.Prompt != "" && !m.Prompted():
		return idle("prompt", quoted(r.Prompt), "has no prompt")
	case (r.SyncWeight != nil || r.SyncTogether) && !m.Guided():
		return &RequestError{Field: "sync-weight", Value: "given", Reason: fmt.Sprintf("which, like --sync-together, has no effect on %s: it is of %s", m, pair.Sync)}
	case r.Control != nil && !m.Steered():
		return &RequestError{Field: "control", Value: *r.Control, Reason: fmt.Sprintf("which has no effect on %s: it is of %s", m, pair.CNetXS)}
	case r.Guidance != nil && *r.Guidance == 0:
		return &RequestError{Field: "guidance", Value: *r.Guidance, Reason: "which would not listen to the prompt, " + PairGuidance.Want() + " other than 0"}
	}
	run.SyncWeight, run.SyncTogether, run.Control = value(r.SyncWeight, 0), r.SyncTogether, value(r.Control, 0)
	run.Gamma, run.NoiseScale, run.Guidance = value(r.Gamma, 0), value(r.NoiseScale, 0), value(r.Guidance, 0)
	return nil
}

// projection reads how latents are projected.
func (t *PairTask) projection() error {
	r, run := t.Request, &t.Options
	kind := orElse(r.Projection, ExactProjection)
	if !slices.Contains([]string{ExactProjection, MirrorDescent}, kind) {
		return &RequestError{Field: "projection", Value: quoted(r.Projection), Reason: "want " + ExactProjection + " or " + MirrorDescent}
	}
	switch posterior := orElse(r.Posterior, "mean"); posterior {
	case "mean", "sample":
		run.SamplePosterior = posterior == "sample"
	default:
		return &RequestError{Field: "posterior", Value: quoted(r.Posterior), Reason: "want mean or sample"}
	}
	for field, given := range map[string]bool{"projection": r.Projection != "", "timesteps": r.Timesteps != "", "box": r.Box != nil} {
		if given && !run.Method.Projected() {
			return &RequestError{Field: field, Value: "given", Reason: fmt.Sprintf("which has no effect on %s: it does not project", run.Method)}
		}
	}
	if kind == MirrorDescent {
		run.MirrorDescent = &latent.MirrorDescent{LearningRate: value(r.MDRate, 0), Iterations: value(r.MDIterations, 0)}
	} else if r.MDRate != nil {
		return &RequestError{Field: "md-rate", Value: *r.MDRate, Reason: "which has no effect without --projection " + MirrorDescent}
	} else if r.MDIterations != nil {
		return &RequestError{Field: "md-iterations", Value: *r.MDIterations, Reason: "which has no effect without --projection " + MirrorDescent}
	}
	run.Box = value(r.Box, 0)
	return nil
}

// open opens the model and enters it among the inputs.
func (t *PairTask) open() (err error) {
	if t.ships = t.Request.Model == ""; t.ships {
		t.leader = shippedName
		t.Options.Model, err = openPortraits(t.inputs)
		return err
	}
	t.leader = t.Request.Model
	if t.Options.Model, err = pair.Open(t.Request.Model); err != nil {
		return err
	}
	return enterFile(t.inputs, "model", t.Request.Model)
}

// models opens what members are drawn with beside the model, and the decoder of all.
func (t *PairTask) models() error {
	var both [2]*pair.Model
	for i, dir := range []string{t.Request.ModelA, t.Request.ModelB} {
		if dir == "" {
			continue
		}
		name := "model-" + string(rune('a'+i))
		var err error
		if both[i], err = pair.Open(dir); err != nil {
			return err
		}
		if err := enterFile(t.inputs, name, dir); err != nil {
			return err
		}
	}
	t.lead(both)
	for i := range t.Options.Members {
		t.Options.Members[i].Model = both[i%2]
	}
	for _, m := range []*pair.Model{t.Options.Model, both[0], both[1]} {
		if m == nil {
			continue
		}
		if err := useDecoder(m.Model, t.Request.Decoder, t.inputs); err != nil {
			return err
		}
	}
	return nil
}

// lead makes the first of two models the one whose classifiers couple and judge, where none is named for that and it has
// some of its own, or the one that ships has other latents or noise. What it lacks is that of the one that ships, if that
// has its latents.
func (t *PairTask) lead(both [2]*pair.Model) {
	if !t.ships || both[0] == nil || both[1] == nil {
		return
	}
	shipped, a := t.Options.Model, *both[0]
	if shipped.Shares(a.Model) != nil {
		t.Options.Model, t.ships, t.leader = both[0], false, t.Request.ModelA
		t.inputs["model"] = t.inputs["model-a"]
		return
	}
	if a.Classifier == nil && a.Judge == nil && a.Guide == nil {
		return
	}
	for _, part := range []struct{ of, instead **latent.Classifier }{{&a.Classifier, &shipped.Classifier}, {&a.Judge, &shipped.Judge}, {&a.Guide, &shipped.Guide}} {
		if *part.of == nil && *part.instead != nil {
			*part.of = *part.instead
			t.borrowed = append(t.borrowed, *part.instead)
		}
	}
	if len(t.borrowed) > 0 {
		t.inputs["classifiers"] = t.inputs["model"]
	}
	t.Options.Model, t.leader = &a, t.Request.ModelA
	t.inputs["model"] = t.inputs["model-a"]
}

// ownerOf names the model that a classifier is of, if there is one.
func (t *PairTask) ownerOf(c *latent.Classifier) string {
	switch {
	case c == nil:
		return ""
	case slices.Contains(t.borrowed, c):
		return shippedName
	}
	return t.leader
}

// shippedName says in a summary whose classifiers those of the model that ships are.
const shippedName = "the model that ships"

// members reads the exemplars, or draws them.
func (t *PairTask) members() error {
	r, n := t.Request, value(t.Request.Variables, 2)
	if len(r.ExemplarsA) == 0 && len(r.ExemplarsB) == 0 {
		if n > pair.MostTogether && t.Options.Attribute == pair.Age {
			return &RequestError{Field: "variables", Value: n, Reason: fmt.Sprintf("want 2 to %d: the people that are drawn show no more different ages; with exemplars of your own, up to %.0f", pair.MostTogether, PairVariables.High)}
		}
		t.Options.Members = pair.DrawMembers(t.Options.Attribute, n, value(r.Drawn, 2))
		return nil
	}
	if len(r.ExemplarsA) == 0 || len(r.ExemplarsB) == 0 {
		return &RequestError{Field: "exemplars-a", Value: fmt.Sprintf("given for %d of the 2 images", 1), Reason: "want --exemplars-a and --exemplars-b, or neither"}
	}
	if r.Drawn != nil {
		return &RequestError{Field: "exemplars", Value: *r.Drawn, Reason: "which has no effect beside exemplars of your own"}
	}
	var both [2][]pair.Exemplar
	for i, paths := range [][]string{r.ExemplarsA, r.ExemplarsB} {
		var err error
		if both[i], err = t.read(string(rune('a'+i)), paths); err != nil {
			return err
		}
	}
	for i := range n {
		t.Options.Members = append(t.Options.Members, pair.Member{Name: string(rune('a' + i)), Exemplars: both[i%2]})
	}
	return nil
}

// read reads the exemplars of an image.
func (t *PairTask) read(name string, paths []string) (all []pair.Exemplar, err error) {
	files, err := pictureFiles("exemplars-"+name, paths)
	if err != nil {
		return nil, err
	}
	for i, file := range files {
		p, err := dataset.ReadPicture(file)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			return nil, &RequestError{Field: "exemplars-" + name, Value: quoted(file), Err: err}
		}
		digest, err := manifest.DigestFile(file)
		if err != nil {
			return nil, err
		}
		t.inputs[fmt.Sprintf("exemplar_%s_%d", name, i)] = manifest.Input{Path: file, SHA256: digest}
		all = append(all, pair.Exemplar{Name: filepath.Base(file), Picture: p})
	}
	return all, nil
}

// pictureEndings are those of names of files in a folder that are pictures. Kinds that are not read are among
// them: who reads them refuses them by name, where an exemplar would be missing without a word.
var pictureEndings = []string{".png", ".jpg", ".jpeg", ".webp", ".heic", ".heif", ".avif", ".gif", ".bmp", ".tif", ".tiff"}

// pictureFiles puts the pictures of folders in their places, in the order of their names, but for hidden files. field is
// for messages.
func pictureFiles(field string, paths []string) (files []string, err error) {
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, p)
			continue
		}
		entries, err := os.ReadDir(p)
		if err != nil {
			return nil, err
		}
		before := len(files)
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), ".") && slices.Contains(pictureEndings, strings.ToLower(filepath.Ext(e.Name()))) {
				files = append(files, filepath.Join(p, e.Name()))
			}
		}
		if len(files) == before {
			return nil, &RequestError{Field: field, Value: quoted(p), Reason: "a folder without pictures, want PNG or JPEG files"}
		}
	}
	return files, nil
}
