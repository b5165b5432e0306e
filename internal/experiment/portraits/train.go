package portraits

import (
	"context"

	"github.com/go-pcd/pcd/internal/encoded"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
	"github.com/go-pcd/pcd/weights"
)

// NewTraining prepares the training of a part in its folder under dir. The denoising
// network, its adapter and the classifier need the autoencoder that was trained there;
// their portraits are encoded first, which progress, if not nil, follows. The adapter
// needs the denoising network, too. Where base is not empty, it is the folder of a model
// whose parts stand in for those that were not trained.
func NewTraining(ctx context.Context, dir, base string, r Recipe, progress Progress) (*experiment.Training, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	from := folders{dir, base}
	switch r.Part {
	case Autoencoder:
		return newAutoencoder(from, r)
	case Denoiser:
		return newDenoiser(ctx, from, r, progress)
	case Adapter:
		return newAdapter(ctx, from, r, progress)
	case Classifier:
		l, scale, err := r.latents(ctx, from, progress)
		if err != nil {
			return nil, err
		}
		l.Tell(tensor.Shape{len(heads)}, l.photos.Condition)
		s, err := noiseSchedule(r.Terminal)
		if err != nil {
			return nil, err
		}
		data := encoded.WithNoise(l.Latents, r.Noisy, s, r.Train.Seed)
		return newClassifier(dir, r, data, Description{Recipe: r, Scale: scale, Source: l.Identity()})
	case Judge, Guide:
		p := r.photos()
		return newClassifier(dir, r, p, Description{Recipe: r, Source: p.Identity()})
	}
	_, err := ParsePart(string(r.Part))
	return nil, err
}

// begin starts or resumes a training in the folder of its part. save writes the part
// with its description.
func begin(dir string, o train.Objective, d Description, save func(d Description) error) (*experiment.Training, error) {
	trainer, err := train.New(o, d.Recipe.warm())
	if err != nil {
		return nil, err
	}
	return experiment.NewTraining(d.Recipe.Part.Dir(dir), trainer, func(_ string, _ []*nn.Param, steps int, loss float64) error {
		d.Steps, d.Loss = steps, loss
		return save(d)
	})
}

// seed is the field that the weights of a part start from.
func (r Recipe) seed() noise.Field { return noise.New(r.Train.Seed).Sub("init") }

func newAutoencoder(from folders, r Recipe) (*experiment.Training, error) {
	c := r.autoencoderConfig()
	net, err := nn.NewAutoencoderKL(c)
	if err != nil {
		return nil, err
	}
	net.Init(r.seed())
	if r.From != "" {
		if err := r.startedFrom(startFrom(net, r.From)); err != nil {
			return nil, err
		}
	}
	p := r.photos()
	o := train.Autoencoder{Net: net, Data: p, Edges: r.Edges, KL: r.KL, Squares: r.Squares, Chroma: r.Chroma, Tints: r.Tints, Witnessed: r.Witnessed, DecoderOnly: r.DecoderOnly}
	if r.Witnessed > 0 {
		if o.Witness, _, err = openPart[*nn.Classifier](from, Guide); err != nil {
			return nil, err
		}
	}
	return begin(from.dir, o, Description{Recipe: r, Source: p.Identity()}, func(d Description) error {
		return savePart(r.Part.Dir(from.dir), autoencoderSettings(c), d, net.Params(), weights.F32, weightsFile)
	})
}

// latentShape returns the shape of a latent of the recipe's pictures.
func (r Recipe) latentShape(from folders) (tensor.Shape, error) {
	net, _, err := openPart[*nn.AutoencoderKL](from, Autoencoder)
	if err != nil {
		return nil, err
	}
	moments, err := net.Encoder.Output(r.photos().Shape())
	if err != nil {
		return nil, err
	}
	return tensor.Shape{moments[0] / 2, moments[1], moments[2]}, nil
}

// latents returns the encoded portraits of the recipe's part, and their scale.
func (r Recipe) latents(ctx context.Context, from folders, progress Progress) (*Latents, float64, error) {
	net, _, err := openPart[*nn.AutoencoderKL](from, Autoencoder)
	if err != nil {
		return nil, 0, err
	}
	scale := net.Config().ScalingFactor
	if _, fromBase := from.of(Autoencoder); !fromBase {
		if scale, err = scaleOf(ctx, net, r.Size); err != nil {
			return nil, 0, err
		}
	}
	l, err := encode(ctx, from.dir, net, scale, r.photos(), progress)
	return l, scale, err
}

// prompted are latents whose condition is the prompt of their portrait, and what else a
// denoising network learns with.
type prompted struct {
	*Latents
	scale    float64
	nothing  []float32 // rows of context without a prompt
	schedule *schedule.Schedule
}

// prompted returns the latents of the recipe's part with their prompts.
func (r Recipe) prompted(ctx context.Context, from folders, progress Progress) (p prompted, err error) {
	if p.Latents, p.scale, err = r.latents(ctx, from, progress); err != nil {
		return p, err
	}
	text, err := ownText()
	if err != nil {
		return p, err
	}
	rows, err := contexts(ctx, text)
	if err != nil {
		return p, err
	}
	p.nothing = rows[""]
	p.Tell(tensor.Shape{tokens, textWidth}, func(condition []float32, i int) { copy(condition, rows[promptOf(p.photos.Album.At(uint64(i)), i)]) })
	p.schedule, err = noiseSchedule(r.Terminal)
	return p, err
}

func newDenoiser(ctx context.Context, from folders, r Recipe, progress Progress) (*experiment.Training, error) {
	shape, err := r.latentShape(from)
	if err != nil {
		return nil, err
	}
	c := r.denoiserConfig(shape[0], shape[1])
	net, err := nn.NewUNet2DCondition(c)
	if err != nil {
		return nil, err
	}
	net.Init(r.seed())
	if r.From != "" {
		if err := r.startedFrom(goOnFrom(net, r.From)); err != nil {
			return nil, err
		}
	}
	trained, err := train.OfImages(net, shape[1], shape[2], tokens)
	if err != nil {
		return nil, err
	}
	p, err := r.prompted(ctx, from, progress)
	if err != nil {
		return nil, err
	}
	o := train.NoiseMSE{Net: trained, Data: p.Latents, Schedule: p.schedule, Dropout: r.Dropout, Null: p.nothing, MinSNR: r.MinSNR, Emphasis: r.Emphasis}
	return begin(from.dir, o, Description{Recipe: r, Scale: p.scale, Source: p.Identity()}, func(d Description) error {
		return savePart(r.Part.Dir(from.dir), denoiserSettings(c), d, net.Params(), weights.F32, weightsFile)
	})
}

func newClassifier(dir string, r Recipe, data train.Data, d Description) (*experiment.Training, error) {
	c := r.classifierConfig(data.Shape()[0])
	net, err := nn.NewClassifier(c)
	if err != nil {
		return nil, err
	}
	net.Init(r.seed())
	o := train.CrossEntropy{Net: net, Data: data, Weights: headWeights, Smoothing: r.Smooth}
	return begin(dir, o, d, func(d Description) error {
		return savePart(r.Part.Dir(dir), c, d, modelfile.State(net), weights.F32, weightsFile)
	})
}
