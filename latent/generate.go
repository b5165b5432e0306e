package latent

import (
	"context"
	"fmt"
	"math"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/tensor"
)

// Request says which images to draw. The zero value is one image of the size that the
// model was trained on.
type Request struct {
	Images        int // 0 is 1
	First         int // number of the first; image 17 of a seed is always the same
	Seed          uint64
	Height, Width int // 0 is the model's own
	Conditions
	Sampler
	Workers int // goroutines beside those of the network; 0 is 1
	// Progress is called after every step of sampling, and as images are decoded.
	Progress func(stage string, done, total int)
	Preview  *Preview // nil shows nothing on the way
}

// Limits of a request. Latents of a million images are as much as memory holds.
const maxImages = 1 << 20

// Result is what a request gives.
type Result struct {
	Latents  tensor.Batch // scaled
	Images   tensor.Batch // [n, 3, height, width], about in [-1, 1]
	Pictures []*dataset.Picture
	Sampling *pcd.Result
	Lost     int // tokens of the prompts that did not fit
}

// check fills in defaults and returns an error for what is out of range.
func (r *Request) check(ctx context.Context, m *Model) error {
	height, width := m.Size()
	if r.Images == 0 {
		r.Images = 1
	}
	if r.Height == 0 {
		r.Height = height
	}
	if r.Width == 0 {
		r.Width = width
	}
	for _, s := range []struct {
		name     string
		value    int
		low, top int
	}{{"images", r.Images, 1, maxImages}, {"first", r.First, 0, math.MaxInt32}, {"height", r.Height, 1, int(settings.Side.High)}, {"width", r.Width, 1, int(settings.Side.High)}} {
		if s.value < s.low || s.value > s.top {
			return &SettingError{Name: s.name, Value: s.value, Want: fmt.Sprintf("%d to %d", s.low, s.top)}
		}
	}
	if err := m.checkSize(r.Height, r.Width); err != nil {
		return err
	}
	if !memory.IsAsked(ctx) {
		if err := m.CheckRoom(r.Images, 0, r.Height, r.Width); err != nil {
			return err
		}
	}
	if m.Text == nil && r.Negative != "" {
		return &SettingError{Name: "negative prompt", Value: r.Negative, Want: m.withoutText()}
	}
	if !settings.Guidance.Allows(r.Guidance) {
		return &SettingError{Name: "guidance", Value: r.Guidance, Want: settings.Guidance.Range()}
	}
	return nil
}

// What a pixel takes at the peak: of every image as numbers and pictures; of every picture,
// in itself, in a grid and in the grid as it is written; and of the image that passes the
// autoencoder, for each channel of its widest level.
const (
	imageBytes   = 40
	pictureBytes = 3 + 3 + 4
	channelBytes = 16
)

// CheckRoom returns a [SettingError] for images of sides that no latents decode to, and for
// images that the memory of the machine, or a limit on that of the process, has no room for:
// images that are drawn at a time, beside pictures of them and of those drawn at other times.
func (m *Model) CheckRoom(images, pictures, height, width int) error {
	if err := m.checkSize(height, width); err != nil {
		return err
	}
	each := float64(height) * float64(width)
	need := each * (imageBytes*float64(images) + pictureBytes*float64(pictures) + channelBytes*float64(m.Codec.widest()))
	size := fmt.Sprintf("%d of %d x %d pixels", max(images, pictures), width, height)
	if err := memory.CheckMachine(1, need, size); err != nil {
		return &SettingError{Name: "number and size of images", Value: size, Want: "less: " + err.Error()}
	}
	return nil
}

// checkSize refuses sides that no latents decode to.
func (m *Model) checkSize(height, width int) error {
	step := m.Codec.stride()
	if height%step == 0 && width%step == 0 {
		return nil
	}
	near := func(side int) int { return max(1, (side+step/2)/step) * step }
	return &SettingError{Name: "size", Value: fmt.Sprintf("%d x %d", width, height),
		Want: fmt.Sprintf("multiples of %d, such as %d x %d: a number of a latent stands for so many pixels", step, near(width), near(height))}
}

// CheckLatents is [Model.CheckRoom] for the images that n latents of a shape decode to. It
// returns an [nn.ShapeError] for a shape that does not.
func (m *Model) CheckLatents(n int, shape tensor.Shape) error {
	net, _ := m.Codec.decoder()
	image, err := net.Output(shape)
	if err != nil {
		return err
	}
	return m.CheckRoom(n, 0, image[1], image[2])
}

// Generate draws images. When the context is cancelled it returns the error of the
// context and no images: half-denoised latents are none.
func (m *Model) Generate(ctx context.Context, r Request) (*Result, error) {
	if err := r.check(ctx, m); err != nil {
		return nil, err
	}
	shape, err := m.Codec.Latent(r.Height, r.Width)
	if err != nil {
		return nil, err
	}
	dynamics, err := m.Dynamics(r.Sampler)
	if err != nil {
		return nil, err
	}
	out := &Result{}
	model, lost, err := m.Denoiser(ctx, shape, r.Conditions)
	if err != nil {
		return nil, err
	}
	out.Lost = lost
	observer := func(done int) error { r.report("denoise", done, dynamics.Steps()); return nil }
	if r.Preview != nil {
		var kept *estimates
		model, kept = r.Preview.previewed(model, dynamics, &r)
		observer = func(done int) error {
			r.report("denoise", done, dynamics.Steps())
			return r.Preview.show(ctx, m, kept, done, dynamics.Steps())
		}
	}
	problem := pcd.Problem{Variables: []pcd.Variable{{Name: "latent", Model: model}}, Dynamics: dynamics}
	out.Sampling, err = pcd.Sample(ctx, problem, pcd.Options{
		Samples: r.Images, First: r.First, Seed: r.Seed, Workers: max(r.Workers, 1), ChunkSize: m.Chunk(shape), Observer: stepper(observer),
	})
	if err != nil {
		return nil, err
	}
	out.Latents = out.Sampling.Samples[0]
	out.Images, err = m.Codec.Decode(ctx, out.Latents, func(done, total int) { r.report("decode", done, total) })
	out.Pictures = Pictures(out.Images)
	return out, err
}

func (r *Request) report(stage string, done, total int) {
	if r.Progress != nil {
		r.Progress(stage, done, total)
	}
}

// Chunk is how many latents of a shape pass the network together: those whose widest
// activation has some millions of numbers.
func (m *Model) Chunk(latent tensor.Shape) int {
	const most = 8 << 20
	return min(max(most/(latent[1]*latent[2]*m.Net.Config().BlockOutChannels[0]), 1), 32)
}

// Pictures returns images of [-1, 1] as pictures of 8 bits.
func Pictures(images tensor.Batch) []*dataset.Picture {
	out := make([]*dataset.Picture, images.N)
	for k := range out {
		out[k] = dataset.PictureOf(images.Sample(k), images.Shape[1], images.Shape[2], -1, 1)
	}
	return out
}

// stepper is an observer that counts.
type stepper func(done int) error

func (f stepper) Step(info pcd.StepInfo) error { return f(info.Done) }
