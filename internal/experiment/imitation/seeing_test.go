package imitation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/go-pcd/pcd/internal/lerobot"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/train"
)

const (
	side   = 48 // of a picture, in pixels
	frames = 10 // of an episode
)

// spot is where the white square of an episode lies, in shares of the picture: what to go to.
func spot(episode int) (x, y float64) {
	return []float64{0.25, 0.75}[episode%2], []float64{0.3, 0.7}[episode/2%2]
}

// pictureOf shows the square of an episode.
func pictureOf(episode int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, side, side))
	x, y := spot(episode)
	for i := range side {
		for j := range side {
			v := uint8(20)
			if math.Abs(float64(i)/side-y) < 0.12 && math.Abs(float64(j)/side-x) < 0.12 {
				v = 240
			}
			m.Set(j, i, color.RGBA{v, 128, 255 - v, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// row is a frame as the library writes it.
type row struct {
	Picture struct {
		Bytes []byte `parquet:"bytes,optional"`
		Path  string `parquet:"path,optional"`
	} `parquet:"observation.image"`
	State   []float32 `parquet:"observation.state,list"`
	Action  []float32 `parquet:"action,list"`
	Frame   int64     `parquet:"frame_index"`
	Episode int64     `parquet:"episode_index"`
}

// pictured writes a data set of robots that go to a square which only the picture shows. embedded
// says whether pictures are in the rows or beside them.
func pictured(t *testing.T, episodes int, embedded bool) string {
	t.Helper()
	dir := t.TempDir()
	var rows []row
	for e := range episodes {
		file := pictureOf(e)
		x, y := spot(e)
		for k := range frames {
			u := float64(k) / frames
			r := row{Frame: int64(k), Episode: int64(e), State: []float32{float32(50 * u), 1}, Action: []float32{float32(100 * x), float32(100 * y)}}
			name := filepath.Join("images", "observation.image", fmt.Sprintf("episode_%06d", e), fmt.Sprintf("frame_%06d.png", k))
			switch {
			case embedded:
				r.Picture.Bytes, r.Picture.Path = file, filepath.Base(name)
			case k%2 == 0: // the name follows from the row
				write(t, filepath.Join(dir, name), file)
			default:
				r.Picture.Path = "pictures/" + filepath.Base(filepath.Dir(name)) + fmt.Sprint(k) + ".png"
				write(t, filepath.Join(dir, r.Picture.Path), file)
			}
			rows = append(rows, r)
		}
	}
	var table bytes.Buffer
	w := parquet.NewGenericWriter[row](&table)
	_, err := w.Write(rows)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "data/chunk-000/file-000.parquet"), table.Bytes())
	vector := map[string]any{"dtype": "float32", "shape": []int{2}}
	info, err := json.Marshal(map[string]any{"codebase_version": "v3.0", "total_episodes": episodes, "total_frames": len(rows), "fps": 10, "features": map[string]any{
		"observation.image": map[string]any{"dtype": "image", "shape": []int{side, side, 3}, "names": []string{"height", "width", "channels"}},
		"observation.state": vector, "action": vector,
	}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "meta/info.json"), info)
	return dir
}

func write(t *testing.T, path string, raw []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, raw, 0o644)); err != nil {
		t.Fatal(err)
	}
}

func read(dir string) (*Demonstrations, error) {
	d, err := lerobot.Open(dir)
	if err != nil {
		return nil, err
	}
	return Read(d)
}

// seeingOf prepares the objective of a small policy.
func seeingOf(t *testing.T, r Recipe, d *Demonstrations) seeing {
	t.Helper()
	p, err := newPolicy(r, d)
	if err != nil {
		t.Fatal(err)
	}
	x, err := newExamples(r, p, d)
	if err != nil {
		t.Fatal(err)
	}
	c := p.Config()
	s, err := c.Diffusion.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	return seeing{p, x, d, s}
}

// TestPicturesAreWhatPoliciesSee compares the condition of examples with that which the policy makes
// of the same observations when it runs, wherever the data set keeps its pictures.
func TestPicturesAreWhatPoliciesSee(t *testing.T) {
	for _, embedded := range []bool{true, false} {
		d, err := read(pictured(t, 2, embedded))
		if err != nil {
			t.Fatal(err)
		}
		r := small(1)
		r.Train.Batch, r.Validation, r.Keypoints, r.Resize = 3, 0, 4, 36
		o := seeingOf(t, r, d)
		loss, err := o.Begin(train.Config{Steps: 1, Batch: 3})
		if err != nil {
			t.Fatal(err)
		}
		l := loss.(*sight)
		l.fill([]int{0, 5, 11}, []float64{0, 0.5, 0.99}, nil)
		if _, err := l.predict(3); err != nil {
			t.Fatal(err)
		}
		for k, i := range []int{0, 5, 11} {
			var history []policy.Observation
			for _, row := range o.data.rows(i) {
				m, err := png.Decode(bytes.NewReader(pictureOf(row / frames)))
				if err != nil {
					t.Fatal(err)
				}
				history = append(history, policy.Observation{
					Vectors: map[string][]float32{stateKey: d.frames.Vectors[stateKey].Sample(row)},
					Images:  map[string]policy.Image{"observation.image": policy.FromImage(m)},
				})
			}
			told, err := o.policy.Condition(t.Context(), history)
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range told.Data {
				if got := l.condition.Sample(k)[j]; math.Abs(float64(got-v)) > 1e-5 {
					t.Fatalf("example %d learns from %g at %d, the policy is told %g", i, got, j, v)
				}
			}
		}
	}
}

// TestGradientsReachTheEyes compares gradients of the loss with central differences.
func TestGradientsReachTheEyes(t *testing.T) {
	thorough.Test(t)
	d, err := read(pictured(t, 2, true))
	if err != nil {
		t.Fatal(err)
	}
	r := small(1)
	r.Train.Batch, r.Validation, r.Keypoints = 2, 0, 4
	loss, err := seeingOf(t, r, d).Begin(train.Config{Steps: 1, Batch: 2})
	if err != nil {
		t.Fatal(err)
	}
	first, err := loss.Step(3)
	if err != nil {
		t.Fatal(err)
	}
	_, other := loss.Step(5)
	if again, err := loss.Step(3); errors.Join(other, err) != nil || again.Loss != first.Loss {
		t.Errorf("a step loses %g, and after others %g, %v", first.Loss, again.Loss, err)
	}
	found := 0
	for _, p := range loss.Params() {
		if !slices.Contains([]string{"out.weight", "pool.nets.weight", "backbone.7.1.bn2.weight", "mid_modules.0.conv1.block.0.weight"}, p.Name) {
			continue
		}
		found++
		grad, values := slices.Clone(p.Grad), slices.Clone(p.Data)
		size := 0.0
		for _, g := range grad {
			size += float64(g) * float64(g)
		}
		h := 2e-3 / math.Sqrt(size)
		var at [2]float64
		for k, sign := range []float64{1, -1} {
			for j := range values {
				p.Data[j] = values[j] + float32(sign*h*float64(grad[j]))
			}
			loss.Refresh()
			v, err := loss.Step(3)
			if err != nil {
				t.Fatal(err)
			}
			at[k] = v.Loss
		}
		copy(p.Data, values)
		loss.Refresh()
		if want := (at[0] - at[1]) / (2 * h); !(size > 0) || math.Abs(want-size) > 0.05*size {
			t.Errorf("%s: the gradient has the slope %g, central differences %g", p.Name, size, want)
		}
	}
	if found != 4 {
		t.Errorf("%d of 4 parameters are there", found)
	}
}

// TestEyesAreSaved trains for a step, opens the folder by its files, and compares what it plans with
// the policy that was trained: the same actions, bit for bit.
func TestEyesAreSaved(t *testing.T) {
	d, err := read(pictured(t, 2, true))
	if err != nil {
		t.Fatal(err)
	}
	dir, r := t.TempDir(), small(1)
	r.Train.Batch, r.Keypoints, r.Validation, r.Resize = 2, 4, 0, 40
	o := seeingOf(t, r, d)
	trainer, err := train.New(o, r.Train)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(trainer.Run(t.Context(), train.Hooks{}), o.policy.Save(dir)); err != nil {
		t.Fatal(err)
	}
	p, err := policy.Open(dir, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c := p.Config(); c.Vintage != policy.VintageC || c.Resize != [2]int{40, 40} || c.Crop != [2]int{35, 35} || !c.GroupNorm || len(c.Cameras()) != 1 {
		t.Errorf("the folder says %+v", c)
	}
	m, err := png.Decode(bytes.NewReader(pictureOf(1)))
	if err != nil {
		t.Fatal(err)
	}
	seen := policy.Observation{Vectors: map[string][]float32{stateKey: {20, 1}}, Images: map[string]policy.Image{"observation.image": policy.FromImage(m)}}
	var plans [2][]float32
	for k, p := range []*policy.Policy{o.policy, p} {
		c, err := p.Condition(t.Context(), []policy.Observation{seen, seen})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Plan(t.Context(), c, policy.Sampling{Steps: 3})
		if err != nil {
			t.Fatal(err)
		}
		plans[k] = plan.Actions.Data
	}
	if !slices.Equal(plans[0], plans[1]) {
		t.Errorf("the folder plans %v, the policy that was trained %v", plans[1], plans[0])
	}
}

// TestBrokenPicturesAreRefused wants a typed error that says which picture.
func TestBrokenPicturesAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		says   string
		change func(dir string)
	}{
		"no file": {"cannot be read", func(dir string) { os.RemoveAll(filepath.Join(dir, "images")) }},
		"no png": {"frame 0: is no PNG", func(dir string) {
			write(t, filepath.Join(dir, "images/observation.image/episode_000000/frame_000000.png"), []byte("GIF"))
		}},
		"size":  {"48×48 pixels, want 24×48", func(dir string) { edit(t, dir, `[48,48,3]`, `[48,24,3]`) }},
		"shape": {"3 channels", func(dir string) { edit(t, dir, `[48,48,3]`, `[48,48,4]`) }},
		"no column": {"cannot be read", func(dir string) {
			edit(t, dir, `"observation.state":{"dtype":"float32","shape":[2]}`, `"observation.state":{"dtype":"float32","shape":[2]},"observation.images.b":{"dtype":"image","shape":[48,48,3]}`)
		}},
		"a video":  {"dataset.video=false", func(dir string) { edit(t, dir, `"image"`, `"video"`) }},
		"no state": {"no feature observation.state", func(dir string) { edit(t, dir, `"observation.state"`, `"observation.pos"`) }},
	} {
		dir := pictured(t, 1, false)
		c.change(dir)
		_, err := read(dir)
		var own *DataError
		var files *lerobot.Error
		if !errors.As(err, &own) && !errors.As(err, &files) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v (%T), want %q", name, err, err, c.says)
		}
	}
}

func edit(t *testing.T, dir, old, new string) {
	t.Helper()
	path := filepath.Join(dir, "meta/info.json")
	raw, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(raw), old) {
		t.Fatalf("%s has no %s: %v", path, old, err)
	}
	write(t, path, []byte(strings.Replace(string(raw), old, new, 1)))
}
