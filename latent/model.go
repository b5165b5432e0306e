package latent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/singlefile"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Model is a latent diffusion model.
type Model struct {
	Path  string
	Net   *nn.UNet2DCondition
	Codec Codec
	Noise Noise
	Text  *Text // nil for a model that is told nothing

	unheard string // what is wanted instead of a prompt, where Text is nil
	side    int    // of the latents that it was trained on, where that was measured; 0 is as the network says
}

// Open reads a model folder: the parts unet, vae and scheduler, and, if they are there,
// text_encoder and tokenizer. Other parts are passed over. Weights of large networks keep
// the precision that they have in their files: such a network cannot be trained.
//
// A model may also be one file, see [modelfile.OpenSingle]. Where nothing says whether it
// predicts noise or velocities, that is measured.
func Open(dir string) (*Model, error) {
	f, err := modelfile.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	return (&opener{Folder: f, keepFrom: keepFrom}).model()
}

// model reads the parts of the folder.
func (o *opener) model() (*Model, error) {
	m := &Model{Path: o.Path}
	if err := m.read(o); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Model) read(o *opener) (err error) {
	if err = o.known(); err != nil {
		return err
	}
	if m.Noise, err = openNoise(o.Folder); err != nil {
		return err
	}
	if m.Net, err = openPart[*nn.UNet2DCondition](o, "unet"); err != nil {
		return err
	}
	if err = m.decide(o.Folder); err != nil {
		return err
	}
	if err = m.Net.Predicts(m.Noise.Prediction); err != nil {
		return err
	}
	if err = m.openCodec(o); err != nil {
		return err
	}
	if m.Text, m.unheard, err = openText(o); err != nil {
		return err
	}
	return m.check()
}

// known returns an error for a folder of another family of models, before its parts are: what they say is right
// for that family.
func (o *opener) known() error {
	for _, name := range []string{"text_encoder_2", "transformer", "prior"} {
		if _, err := o.Part(name); err == nil {
			others := "other pipelines"
			if o.Pipeline != "" {
				others += ", " + quote.Text(o.Pipeline) + ","
			}
			return &modelfile.Error{Path: o.Path, Reason: fmt.Sprintf("has the part %s, which models of Stable Diffusion 1 and 2 have not: those of %s are not read here", name, others)}
		}
	}
	_, err := o.Part("unet")
	return err
}

// openCodec reads the autoencoder, which models that were distilled to be small have as a
// tiny one.
func (m *Model) openCodec(o *opener) error {
	part, err := o.Part("vae")
	if err != nil {
		return err
	}
	if part.Class == "AutoencoderTiny" {
		m.Codec.Tiny, err = openPart[*nn.AutoencoderTiny](o, "vae")
		return err
	}
	m.Codec.Net, err = openPart[*nn.AutoencoderKL](o, "vae")
	return err
}

// opener opens the networks of a folder.
type opener struct {
	*modelfile.Folder
	keepFrom int // numbers from which on weights stay as they are stored
}

// keepFrom is how many numbers a network has at least whose weights stay as they are
// stored. Those of smaller ones are faster when they are widened once.
const keepFrom = 1 << 25

// openPart makes the network of a part and gives it its weights.
func openPart[N modelfile.Parameters](o *opener, name string) (net N, err error) {
	part, err := o.Part(name)
	if err != nil {
		return net, err
	}
	if net, err = modelfile.Network[N](part); err != nil {
		return net, err
	}
	if numbers(net) < o.keepFrom {
		return net, part.Fill(net)
	}
	return net, part.Keep(net)
}

func numbers(net modelfile.Parameters) (n int) {
	for _, p := range net.Params() {
		n += p.Shape.Size()
	}
	return n
}

func openNoise(f *modelfile.Folder) (Noise, error) {
	part, err := f.Part("scheduler")
	if err != nil {
		return Noise{}, err
	}
	raw, err := part.ReadSettings()
	if err != nil {
		return Noise{}, err
	}
	n, err := parseNoise(raw, part.Class)
	if err != nil {
		err = &modelfile.Error{Path: part.Settings, Reason: "describes no schedule that can be used", Err: err}
	}
	return n, err
}

// openText returns nil for a model that nothing can be said to, and what is wanted instead of a prompt then.
func openText(o *opener) (t *Text, otherwise string, err error) {
	if _, err := o.Part("text_encoder"); errors.Is(err, fs.ErrNotExist) {
		return nil, "none: the model has no text encoder", nil
	}
	net, err := openPart[*nn.CLIPText](o, "text_encoder")
	if err != nil {
		return nil, "", err
	}
	part, err := o.Part("tokenizer")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, withoutTokenizer(o.Path), nil
	}
	if err != nil {
		return nil, "", err
	}
	tokens, err := part.Tokenizer()
	if err != nil {
		return nil, "", err
	}
	return &Text{Tokens: tokens, Net: net}, "", nil
}

// withoutTokenizer says what the text encoder of a model lacks, and where it is looked for.
func withoutTokenizer(model string) string {
	beside, named := singlefile.Beside(model), ""
	if beside == model { // a folder
		named = ", and its name in model_index.json"
	}
	return fmt.Sprintf("none, or a tokenizer for the model's text encoder: a folder tokenizer with vocab.json and merges.txt in %s%s; that of any model of its family of Stable Diffusion will do", quote.Text(beside), named)
}

// check returns an error when the parts do not belong together.
func (m *Model) check() error {
	latents, _ := m.Codec.Channels()
	c := m.Net.Config()
	if c.InChannels != latents || c.OutChannels != latents {
		return &SettingError{Where: "unet", Name: "in_channels and out_channels", Value: [2]int{c.InChannels, c.OutChannels},
			Want: "the vae's latent_channels, " + number(latents) + ", twice" + otherTask(c.InChannels-latents, latents)}
	}
	if m.Text == nil {
		return nil
	}
	return m.Text.check(m.Net)
}

// otherTask says which task a network has that takes further channels beside those of the latents.
func otherTask(further, latents int) string {
	switch further {
	case latents + 1: // a mask, and the latents of what is around it
		return ": this is an inpainting model, which is not read here"
	case latents:
		return ": this is a model that edits pictures (InstructPix2Pix), which is not read here"
	case 1:
		return ": this is a model that is told depths, which is not read here"
	}
	return ""
}

// Shares returns a [SettingError] unless another model can be drawn together with this one:
// its latents have the same shape, and its noise the same schedule. That the latents mean the
// same nobody can check.
func (m *Model) Shares(other *Model) error {
	if m == other {
		return nil
	}
	ours, _ := m.Codec.Channels()
	theirs, _ := other.Codec.Channels()
	if theirs != ours || other.Codec.stride() != m.Codec.stride() {
		return &SettingError{Where: "vae", Name: "latents", Value: fmt.Sprintf("%d channels, one for %d pixels each way", theirs, other.Codec.stride()),
			Want: fmt.Sprintf("those of the first model, %d and %d", ours, m.Codec.stride())}
	}
	if a, b := m.Noise.rescaled, other.Noise.rescaled; a != b {
		return &SettingError{Where: "scheduler", Name: "rescale_betas_zero_snr", Value: b, Want: fmt.Sprintf("that of the first model, %v", a)}
	}
	a, b := m.Noise.Schedule, other.Noise.Schedule
	if a.Len() != b.Len() || a.At(a.Len()-1).AlphaBar != b.At(b.Len()-1).AlphaBar || a.At(a.Len()/2).AlphaBar != b.At(a.Len()/2).AlphaBar {
		return &SettingError{Where: "scheduler", Name: "noise", Value: b.Name(), Want: "that of the first model, " + a.Name()}
	}
	return nil
}

// Size returns the sides of the images that the model was trained on.
func (m *Model) Size() (height, width int) {
	side := cmp.Or(m.side, m.Net.Config().SampleSize) * m.Codec.stride()
	return side, side
}

// Conditions says what a model is told: rows of context with and without the prompt,
// and how far the former is exaggerated.
type Conditions struct {
	Prompt   string
	Negative string  // what the prediction is moved away from; empty is nothing in particular
	Guidance float64 // 0 is the negative prompt alone, 1 the prompt alone
	// Rows are given instead of prompts to models that have no text encoder: [1,
	// rows, width].
	Rows tensor.Batch
	// Steer, if not nil, lets an adapter steer the network, alike with and without the
	// prompt.
	Steer *Steering
}

// bind returns the network, steered or not, as a model with rows of context.
func (m *Model) bind(latent tensor.Shape, rows tensor.Batch, s *Steering) (*nn.Bound, error) {
	if s == nil {
		return m.Net.Bind(latent[1], latent[2], rows)
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	return s.Net.Bind(latent[1], latent[2], rows, s.Hint, s.Scale)
}

// Denoiser returns the network as a model of latents of a shape, guided by conditions.
// lost is how many tokens of the prompts did not fit.
func (m *Model) Denoiser(ctx context.Context, latent tensor.Shape, c Conditions) (model denoise.Denoiser, lost int, err error) {
	with, lost, err := m.rows(ctx, c.Prompt, c.Rows)
	if err != nil {
		return nil, 0, err
	}
	if m.Net.Config().GuidanceDim > 0 {
		model, err = m.guidedByInput(latent, with, c)
		return model, lost, err
	}
	conditional, err := m.bind(latent, with, c.Steer)
	if err != nil || c.Guidance == 1 || m.Text == nil {
		return conditional, lost, err
	}
	without, more, err := m.rows(ctx, c.Negative, c.Rows)
	if err != nil {
		return nil, 0, err
	}
	unconditional, err := m.bind(latent, without, c.Steer)
	if err != nil {
		return nil, 0, err
	}
	model, err = denoise.ClassifierFree(conditional, unconditional, c.Guidance)
	return model, lost + more, err
}

// guidedByInput returns a network that takes the strength of guidance as an input, as latent
// consistency models do: it is asked once, and knows no negative prompt.
func (m *Model) guidedByInput(latent tensor.Shape, rows tensor.Batch, c Conditions) (denoise.Denoiser, error) {
	switch {
	case c.Negative != "":
		return nil, &SettingError{Name: "negative prompt", Value: c.Negative, Want: "none: the network takes the strength of guidance as an input (time_cond_proj_dim)"}
	case c.Steer != nil:
		return nil, &SettingError{Name: "edges", Value: "an adapter", Want: "none: the network takes the strength of guidance as an input (time_cond_proj_dim)"}
	}
	strength := c.Guidance
	if strength == 0 && c.Prompt == "" {
		strength = 1 // nothing is said that could be exaggerated
	}
	if strength < 1 {
		return nil, &SettingError{Name: "guidance", Value: strength, Want: "1, which is none, or more: the network takes the strength of guidance as an input (time_cond_proj_dim), and was trained with no less"}
	}
	return m.Net.BindGuided(latent[1], latent[2], rows, strength)
}

// withoutText says what is wanted instead of a prompt where there is no text encoder, or no tokenizer for it.
func (m *Model) withoutText() string {
	return cmp.Or(m.unheard, "none: the model has no text encoder")
}

// rows returns the rows of context of a prompt: given rows and zeros where there is no
// text encoder.
func (m *Model) rows(ctx context.Context, prompt string, given tensor.Batch) (tensor.Batch, int, error) {
	switch {
	case given.Data != nil:
		return given, 0, nil
	case m.Text != nil:
		return m.Text.Rows(ctx, prompt)
	case prompt != "":
		return tensor.Batch{}, 0, &SettingError{Name: "prompt", Value: prompt, Want: m.withoutText()}
	}
	return tensor.New(1, 1, m.Net.Config().CrossAttentionDim), 0, nil
}
