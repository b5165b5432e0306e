package pair

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/tensor"
)

// Arrays returns what was drawn as arrays, for every member i:
//
//	latents_i    [pairs, channels, height, width]
//	exemplars_i  [M, channels, height, width]
//	weights_i    [steps, pairs, M]
//	frames_i     [frames, pairs, channels, height, width]
//
// and the steps of the frames and the timesteps of all steps. Members that are not
// projected have neither exemplars nor weights.
func (r *Result) Arrays() ([]dataset.Array, error) {
	var out []dataset.Array
	var errs []error
	add := func(a dataset.Array, err error) { out, errs = append(out, a), append(errs, err) }
	add(dataset.NewArray("timesteps", []int{len(r.Timesteps)}, wide(r.Timesteps)))
	for i, d := range r.Members {
		name := func(what string) string { return fmt.Sprintf("%s_%d", what, i) }
		add(dataset.NewArray(name("latents"), shapeOf(d.Latents), d.Latents.Data))
		if m := d.Exemplars.N; m > 0 {
			add(dataset.NewArray(name("exemplars"), shapeOf(d.Exemplars), d.Exemplars.Data))
			add(dataset.NewArray(name("weights"), []int{len(r.Timesteps), d.Latents.N, m}, d.Weights))
		}
		if len(r.Frames) > 0 {
			var all []float32
			for _, f := range r.Frames {
				all = append(all, f.Latents[i].Data...)
			}
			add(dataset.NewArray(name("frames"), append([]int{len(r.Frames)}, shapeOf(d.Latents)...), all))
		}
	}
	var steps []int
	for _, f := range r.Frames {
		steps = append(steps, f.Step)
	}
	if steps != nil {
		add(dataset.NewArray("frame_steps", []int{len(steps)}, wide(steps)))
	}
	return out, errors.Join(errs...)
}

func wide(x []int) []int64 {
	out := make([]int64, len(x))
	for i, v := range x {
		out[i] = int64(v)
	}
	return out
}

func shapeOf(b tensor.Batch) []int { return append([]int{b.N}, b.Shape...) }

// pieceFacts is what a kept piece says beside its arrays.
type pieceFacts struct {
	First       int           `json:"first"`
	Pairs       int           `json:"pairs"`
	Certificate Certificate   `json:"certificate"`
	Seconds     Seconds       `json:"seconds"`
	StepSeconds []StepSeconds `json:"step_seconds"`
}

// KeptEndings are those of the files that [Session.Keep] writes.
var KeptEndings = []string{".npz", ".json"}

// maxFacts bounds the file of a piece: a step has its seconds there.
const maxFacts = 64 << 20

// Keep writes a piece that a session drew to two files whose names begin with path.
// Whole pieces have both.
func (s *Session) Keep(path string, r *Result) error {
	arrays, err := r.Arrays()
	if err != nil {
		return err
	}
	if err := dataset.WriteNPZ(path+".npz", arrays...); err != nil {
		return err
	}
	return atomicfile.Write(path+".json", func(w io.Writer) error {
		return json.NewEncoder(w).Encode(pieceFacts{r.Request.First, r.Request.Pairs, r.Certificate, r.Seconds, r.StepSeconds})
	})
}

// Kept reads a piece that [Session.Keep] wrote, for the same request. The error for one
// that is not there, or not whole, matches fs.ErrNotExist; that for one of other sizes
// is a [dataset.FormatError].
func (s *Session) Kept(path string) (*Result, error) {
	raw, err := regular.ReadFile(path+".json", maxFacts)
	if err != nil {
		return nil, err
	}
	var f pieceFacts
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, fmt.Errorf("pair: %s.json: %w", path, err)
	}
	z, err := dataset.OpenNPZ(path+".npz", dataset.ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer z.Close()
	if f.First < 0 || f.Pairs < 1 || f.Pairs > maxPairs {
		return nil, fmt.Errorf("pair: %s.json: %d pairs from %d on", path, f.Pairs, f.First)
	}
	out := newRecorder(s.setup, f.First, f.Pairs, s.problem, s.hulls).result(nil)
	out.Certificate, out.Seconds, out.StepSeconds = f.Certificate, f.Seconds, f.StepSeconds
	return out, s.fill(z, out)
}

// fill reads the arrays of a piece.
func (s *Session) fill(z *dataset.NPZ, out *Result) error {
	read := func(name string, shape ...int) ([]float32, error) {
		a, err := z.Read(name)
		if err != nil {
			return nil, err
		}
		v, err := a.Float32s()
		if want := tensor.Shape(shape); err == nil && !want.Equal(a.Shape) {
			return nil, &dataset.FormatError{Part: name, Reason: fmt.Sprintf("has shape %v, want %v", a.Shape, shape)}
		}
		return v, err
	}
	n, latent := out.Request.Pairs, s.setup.shape
	frames := s.frameSteps()
	for _, step := range frames {
		out.Frames = append(out.Frames, Frame{Step: step, Timestep: out.Timesteps[step], Latents: make([]tensor.Batch, len(out.Members))})
	}
	for i := range out.Members {
		d := &out.Members[i]
		d.Latents = tensor.New(n, latent...)
		v, err := read(fmt.Sprintf("latents_%d", i), shapeOf(d.Latents)...)
		if err != nil {
			return err
		}
		copy(d.Latents.Data, v)
		if m := d.Exemplars.N; m > 0 {
			if d.Weights, err = read(fmt.Sprintf("weights_%d", i), len(out.Timesteps), n, m); err != nil {
				return err
			}
		}
		if len(frames) == 0 {
			continue
		}
		if v, err = read(fmt.Sprintf("frames_%d", i), append([]int{len(frames)}, shapeOf(d.Latents)...)...); err != nil {
			return err
		}
		size := len(d.Latents.Data)
		for k := range frames {
			out.Frames[k].Latents[i] = tensor.Batch{N: n, Shape: latent, Data: v[k*size : (k+1)*size]}
		}
	}
	return nil
}

// frameSteps returns the steps whose latents are kept.
func (s *Session) frameSteps() (out []int) {
	total := s.problem.Dynamics.Steps()
	for done := 1; done <= total; done++ {
		if s.setup.keeps(done, total) {
			out = append(out, done-1)
		}
	}
	return out
}
