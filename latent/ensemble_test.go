package latent

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// promptTokens are the tokens of the published prompt. Source: spec of the image
// experiment, prompt constants.
var promptTokens = []int{
	1400, 268, 9977, 14739, 1125, 539, 320, 2533, 267, 7619, 2342, 593, 320, 17011, 11357, 269, 3309, 320, 10709, 1579, 339, 268, 2523,
	267, 593, 320, 3772, 1579, 5994, 537, 1427, 267, 3773, 5799, 269, 518, 17510, 533, 24584, 537, 3645, 40704, 267, 593, 518, 1375, 536,
	518, 2119, 539, 518, 6481, 269,
}

// variant is one way of running the published loop.
type variant struct {
	Projection  bool
	Coupling    bool
	Gamma       float64
	K           float64
	Prompt      string
	Scale       float64 `json:"cfg_scale"`
	Negative    string  `json:"negative_prompt_embedding"`
	Rotation    int
	Timesteps   []int `json:"projection_timesteps"`
	SkipLast    bool  `json:"skip_last"`
	RescaleNorm bool  `json:"rescale_norm"`
	Posterior   string
	Networks    []string
}

// loop is a case of the published loop.
type loop struct {
	golden.Case
	Timesteps  []int
	Pairs      int
	Iterations int     `json:"md_iterations"`
	Rate       float64 `json:"md_learning_rate"`
	Variants   map[string]variant

	io       map[string]golden.Array
	codec    Codec
	networks map[string]*nn.UNet2DCondition
	ages     *nn.Question
	rows     map[string]tensor.Batch // of context, by prompt
	noise    Noise
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// fill gives a network the tensors of a file.
func fill(t *testing.T, net modelfile.Parameters, path string) {
	t.Helper()
	tensors := golden.Safetensors(t, path)
	for _, p := range net.Params() {
		v, ok := tensors[p.Name]
		if !ok || !slices.Equal(v.Shape, p.Shape) {
			t.Fatalf("%s: tensor %s has shape %v, want %v", path, p.Name, v.Shape, p.Shape)
		}
		p.Data = slices.Clone(v.Data)
	}
	net.Refresh()
}

func openLoop(t *testing.T, c golden.Case) *loop {
	t.Helper()
	l := &loop{Case: c, io: golden.Safetensors(t, c.Dir+"/io.safetensors"), networks: map[string]*nn.UNet2DCondition{}, rows: map[string]tensor.Batch{}}
	if err := json.Unmarshal(read(t, c.Dir+"/settings.json"), l); err != nil {
		t.Fatal(err)
	}
	l.noise = must(ParseNoise(read(t, c.Dir+"/scheduler_config.json")))(t)
	config := must(nn.ParseConfig[nn.UNet2DConfig](read(t, c.Dir+"/unet_config.json")))(t)
	for _, name := range []string{"unet0", "unet1"} {
		net := must(nn.NewUNet2DCondition(config))(t)
		fill(t, net, c.Dir+"/"+name+".safetensors")
		l.networks[name] = net
	}
	l.codec.Net = must(nn.NewAutoencoderKL(must(nn.ParseConfig[nn.AutoencoderConfig](read(t, c.Dir+"/vae_config.json")))(t)))(t)
	fill(t, l.codec.Net, c.Dir+"/vae.safetensors")
	l.ages = openAges(t, c.Dir)
	l.openText(t)
	return l
}

// openAges opens the classifier of a case as its training would have left it: the sizes
// are those of the tensors.
func openAges(t *testing.T, caseDir string) *nn.Question {
	t.Helper()
	dir := t.TempDir()
	write(t, []byte("max_timestep: 999\n"), dir, "training.yaml")
	write(t, read(t, caseDir+"/latent_classifier.safetensors"), dir, "best_latent_classifier.pt")
	ages, classes := question(t, must(OpenClassifier(dir))(t), "age_group")
	if ages.Classes() != 10 || classes[8] != "50-69" {
		t.Fatalf("the ages are %v", classes)
	}
	return ages
}

// openText takes the rows of context of the prompts from the reference, or makes them
// with the text encoder that lies beside the case.
func (l *loop) openText(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(l.Dir + "/rows.safetensors"); err == nil {
		for prompt, rows := range golden.Safetensors(t, l.Dir+"/rows.safetensors") {
			l.rows[prompt] = tensor.Batch{N: 1, Shape: rows.Shape, Data: rows.Data}
		}
		return
	}
	dir := l.Dir + "/../clip_text"
	net := must(nn.NewCLIPText(must(nn.ParseConfig[nn.CLIPTextConfig](read(t, dir+"/config.json")))(t)))(t)
	fill(t, net, dir+"/weights.safetensors")
	for prompt, tokens := range map[string][]int{"empty": nil, "prompt": promptTokens} {
		ids := make([]int, 77)
		copy(ids, slices.Concat([]int{49406}, tokens, []int{49407}))
		rows := tensor.New(1, 77, net.Config().Width)
		if err := net.Encode(t.Context(), rows, ids); err != nil {
			t.Fatal(err)
		}
		l.rows[prompt] = rows
	}
}

// TestPublishedLoop runs every variant of the published loop and compares everything
// that happens in it.
func TestPublishedLoop(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers of long draws, whose goroutines are those of short ones")
	}
	folders := []string{"testdata/images"}
	if more := os.Getenv("PCD_GOLDEN_IMAGES"); more != "" {
		folders = append(folders, more)
	}
	for _, folder := range folders {
		for _, c := range golden.Cases(t, folder, func(name string) bool { return name == "pcd_loop" }) {
			l := openLoop(t, c)
			if len(l.Variants) < 9 {
				t.Fatalf("%d variants", len(l.Variants))
			}
			for name, v := range l.Variants {
				t.Run(name, func(t *testing.T) { l.run(t, name, v) })
			}
		}
	}
}

// run runs one variant.
func (l *loop) run(t *testing.T, name string, v variant) {
	record := newRecord(l, v)
	e := Ensemble{Rotation: v.Rotation, Gamma: v.Gamma, Floor: 1e-8}
	e.Dynamics = must(model(l).Dynamics(Sampler{Steps: len(l.Timesteps), NoiseScale: v.K}))(t)
	if v.Coupling {
		e.Attribute, e.Groups = l.ages, [][]int{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9}}
	}
	if v.Projection {
		e.Project = Projection{
			MirrorDescent: &published.MirrorDescentOptions{LearningRate: l.Rate, Iterations: l.Iterations},
			FreeEnd:       v.SkipLast, Rescale: v.RescaleNorm,
			Steps: &Selection{slices.Min(v.Timesteps), slices.Max(v.Timesteps)},
		}
	}
	for i, network := range v.Networks {
		m := Member{Model: recorder{l.denoiser(t, l.networks[network], v), record, i}}
		if v.Projection {
			m.Exemplars = l.exemplars(t, i, v.Posterior == "sample")
		}
		e.Members = append(e.Members, m)
	}
	problem, _, err := e.Problem()
	if err != nil {
		t.Fatal(err)
	}
	record.watch(&problem)
	result, err := pcd.Sample(t.Context(), problem, pcd.Options{Samples: l.Pairs, Noise: l.source(), Workers: 1, ChunkSize: l.Pairs, Observer: record})
	if err != nil {
		t.Fatal(err)
	}
	l.compare(t, name, v, e, record, result)
}

func model(l *loop) *Model { return &Model{Noise: l.noise} }

// denoiser guides a network as a variant does.
func (l *loop) denoiser(t *testing.T, net *nn.UNet2DCondition, v variant) denoise.Denoiser {
	t.Helper()
	prompt := "empty"
	if v.Prompt != "" {
		prompt = "prompt"
	}
	negative := prompt
	if v.Negative == "empty prompt" {
		negative = "empty"
	}
	with, without := must(net.Bind(8, 8, l.rows[prompt]))(t), must(net.Bind(8, 8, l.rows[negative]))(t)
	return must(denoise.ClassifierFree(with, without, v.Scale))(t)
}

// exemplars encodes the exemplars of a member.
func (l *loop) exemplars(t *testing.T, i int, sample bool) tensor.Batch {
	t.Helper()
	bytes := l.io["in.exemplars"+number(i)]
	images := tensor.New(bytes.Shape[0], bytes.Shape[1:]...)
	for j, u := range bytes.Data {
		images.Data[j] = u/255*2 - 1
	}
	var draws []float32
	if sample {
		draws = l.io["in.posterior"+number(i)].Data
	}
	return must(l.codec.Encode(t.Context(), images, draws, nil))(t)
}

// compare compares the arrays of a variant, all of which must be used.
func (l *loop) compare(t *testing.T, name string, v variant, e Ensemble, r *record, result *pcd.Result) {
	prefix := "out." + name + "."
	left := map[string]bool{}
	for key := range l.io {
		if len(key) > len(prefix) && key[:len(prefix)] == prefix {
			left[key[len(prefix):]] = true
		}
	}
	check := func(what string, got []float32) {
		if left[what] {
			delete(left, what)
			l.Check(t, prefix+what, got, l.io[prefix+what])
		}
	}
	check("after_scheduler", flat(r.steps(func(s, m int) []float32 {
		if r.before[s][m] != nil {
			return r.before[s][m]
		}
		return r.after[s][m]
	})))
	gradient := flat(r.steps(func(s, m int) []float32 { return r.gradient[s][m] }))
	for i := range gradient {
		gradient[i] /= float32(l.Pairs) // the reference takes the mean over pairs
	}
	check("xor_gradient", gradient)
	check("epsilon_guided", flat(r.steps(func(s, m int) []float32 { return l.guided(r, e, v, s, m) })))
	check("after_projection", flat(r.steps(func(s, m int) []float32 { return r.hull[s][m] })))
	check("lambda", flat(r.steps(func(s, m int) []float32 { return narrow(r.weights[s][m]) })))
	var exemplars, images []float32
	for i, m := range e.Members {
		exemplars = append(exemplars, m.Exemplars.Data...)
		images = append(images, unit(must(l.codec.Decode(t.Context(), result.Samples[i], nil))(t).Data)...)
	}
	check("exemplar_latents", exemplars)
	check("images01", images)
	l.checkHalves(t, v, r, check)
	for what := range left {
		t.Errorf("%s is compared with nothing", prefix+what)
	}
}

// checkHalves compares the two predictions that guidance is made from, at the states
// of the run.
func (l *loop) checkHalves(t *testing.T, v variant, r *record, check func(string, []float32)) {
	first := "empty" // what the prediction is moved away from
	second := "prompt"
	if v.Prompt == "" {
		second = "empty"
	}
	if v.Negative != "empty prompt" {
		first = second
	}
	for what, prompt := range map[string]string{"epsilon_doubled_first_half": first, "epsilon_doubled_second_half": second} {
		check(what, flat(r.steps(func(s, m int) []float32 {
			x := tensor.New(l.Pairs, 4, 8, 8)
			if s == 0 {
				copy(x.Data, l.io["in.prior"+number(m)].Data)
			} else {
				copy(x.Data, r.after[s-1][m])
			}
			net := must(l.networks[v.Networks[m]].Bind(8, 8, l.rows[prompt]))(t)
			out := x.Clone()
			if err := net.Predict(t.Context(), out, x, l.Timesteps[s]); err != nil {
				t.Fatal(err)
			}
			return out.Data
		})))
	}
}

// guided returns the prediction with the push of the coupling, as the reference adds
// it.
func (l *loop) guided(r *record, e Ensemble, v variant, s, m int) []float32 {
	out := slices.Clone(r.prediction[s][m])
	if !v.Coupling {
		return out
	}
	st, _ := l.noise.Schedule.ForTimestep(l.Timesteps[s])
	size := len(out) / l.Pairs
	for k := range l.Pairs {
		g := r.gradient[s][m][k*size : (k+1)*size]
		norm := 0.0
		for _, u := range g {
			norm += float64(u) * float64(u)
		}
		norm = math.Max(math.Sqrt(norm), 1e-8)
		for j, u := range g {
			out[k*size+j] += float32(e.Gamma * st.Sigma * float64(u) / norm)
		}
	}
	return out
}

func flat(parts [][]float32) []float32 { return slices.Concat(parts...) }

func narrow(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// unit maps [-1, 1] to [0, 1] and clamps.
func unit(x []float32) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = min(max((v+1)/2, 0), 1)
	}
	return out
}

// TestSelectionGrammar compares the grammar of timesteps with the published one.
func TestSelectionGrammar(t *testing.T) {
	var c struct {
		First    int `json:"first_timestep_T"`
		Selected map[string][]int
		Rejected map[string]string
	}
	if err := json.Unmarshal(read(t, "testdata/images/projection_timesteps/cases.json"), &c); err != nil {
		t.Fatal(err)
	}
	for text, want := range c.Selected {
		s, err := ParseSelection(text, c.First)
		var got []int
		for ts := 991; ts > 0; ts -= 10 {
			if s.Contains(ts) {
				got = append(got, ts)
			}
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("ParseSelection(%q) = %v, %v", text, s, err)
		}
	}
	for text := range c.Rejected {
		if s, err := ParseSelection(text, c.First); err == nil {
			t.Errorf("ParseSelection(%q) = %v, want an error", text, s)
		}
	}
	if len(c.Selected) == 0 || len(c.Rejected) == 0 {
		t.Error("no cases")
	}
}
