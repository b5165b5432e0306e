package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/weights"
)

// TestUnusualFoldersAreRead opens folders that are odd and right, and compares what they make
// of an observation with the folder that they came from.
func TestUnusualFoldersAreRead(t *testing.T) {
	off := func(o Observation) { // a constant number that is off its constant is divided by eps
		for i := range o.Vectors[stateKey] {
			o.Vectors[stateKey][i]++
		}
	}
	plain := conditionOf(t, copyOf(t, "c_env"), off)
	for name, c := range map[string]struct {
		same   bool
		rename string // of the state in the observation
		change func(h hostile)
	}{
		"renamed_state_file": {true, "", func(h hostile) {
			h.write("other.safetensors", h.read(preStatistics))
			h.remove(preStatistics)
			h.replace(preprocessorFile, preStatistics, "other.safetensors")
		}},
		"rename_map": {true, "observation.pos", func(h hostile) {
			h.replace(preprocessorFile, `"rename_map":{}`, `"rename_map":{"observation.pos":"observation.state"}`)
		}},
		"rename_map of agent_pos": {true, "agent_pos", func(h hostile) {
			h.replace(preprocessorFile, `"rename_map":{}`, `"rename_map":{"observation.state":"observation.state","a":"b"}`)
		}},
		"agent_pos": {true, "agent_pos", func(hostile) {}},
		"other_eps": {false, "", func(h hostile) { h.replace(preprocessorFile, `"eps":1e-8`, `"eps":0.001`) }},
		"normalize_observation_keys": {false, "", func(h hostile) {
			h.replace(preprocessorFile, `"eps":1e-8`, `"eps":1e-8,"normalize_observation_keys":["observation.state"]`)
		}},
		"identity_without_statistics": {false, "", identity},
	} {
		t.Run(name, func(t *testing.T) {
			h := copyOf(t, "c_env")
			c.change(h)
			got := conditionOf(t, h, func(o Observation) {
				off(o)
				if c.rename != "" {
					o.Vectors[c.rename] = o.Vectors[stateKey]
					delete(o.Vectors, stateKey)
				}
			})
			if slices.Equal(got, plain) != c.same {
				t.Errorf("the condition is the plain folder's: %v, want %v", !c.same, c.same)
			}
		})
	}
}

// TestFoldersOfHalfPrecision wants the actions of a folder whose tensors are stored as F16 to be
// those of the rounded numbers stored as F32.
func TestFoldersOfHalfPrecision(t *testing.T) {
	stored, wide := copyOf(t, "c_env"), copyOf(t, "c_env")
	for _, h := range []hostile{stored, wide} {
		sd, err := weights.Open(filepath.Join(h.dir, weightsFile), weights.Options{})
		if err != nil {
			t.Fatal(err)
		}
		kept, err := sd.As(weights.F16)
		if err == nil && h == wide {
			kept, err = kept.As(weights.F32)
		}
		var file bytes.Buffer
		if err := errors.Join(err, weights.WriteSafetensors(&file, kept, nil), sd.Close()); err != nil {
			t.Fatal(err)
		}
		h.write(weightsFile, file.Bytes())
	}
	if a, b := planOf(t, stored), planOf(t, wide); !slices.Equal(a, b) {
		t.Error("weights stored as F16 give other actions than the same numbers as F32")
	}
}

// planOf returns the actions that a folder without cameras plans for the observations of c_env.
func planOf(t *testing.T, h hostile) []float32 {
	t.Helper()
	p := open(t, h.dir, Options{})
	condition, err := p.Condition(t.Context(), observations(t, golden.OpenPolicy(t, goldenFolder, "c_env"), "in."))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(t.Context(), condition, Sampling{Scheduler: "DDIM", Steps: 5})
	if err != nil {
		t.Fatal(err)
	}
	return plan.Actions.Data
}

// TestStatisticsThatArgue exchanges the bounds of the action, which mirrors it, and gives a folder
// processors beside the statistics in its weights, which win.
func TestStatisticsThatArgue(t *testing.T) {
	plain, mirrored := copyOf(t, "c_env"), copyOf(t, "c_env")
	mirrored.tensors(postStatistics, func(all map[string]golden.Array) {
		all["action.min"], all["action.max"] = all["action.max"], all["action.min"]
	})
	bounds := golden.Safetensors(t, filepath.Join(plain.dir, postStatistics))
	low, high := bounds["action.min"].Data, bounds["action.max"].Data
	a, b := planOf(t, plain), planOf(t, mirrored)
	for i := range a {
		if sum := low[i%2] + high[i%2]; math.Abs(float64(a[i]+b[i]-sum)) > 1e-3 {
			t.Fatalf("action %d is %g, with exchanged bounds %g, want them to add up to %g", i, a[i], b[i], sum)
		}
	}
	old := copyOf(t, "b_env")
	want := planOf(t, old)
	for _, name := range []string{preprocessorFile, postprocessorFile, preStatistics, postStatistics} {
		old.write(name, plain.read(name)) // of the same features
	}
	if got := planOf(t, old); slices.Equal(got, want) {
		t.Error("processors beside statistics in the weights are not used")
	}
}

// TestCamerasGoByTheirOrder exchanges two cameras in the configuration.
func TestCamerasGoByTheirOrder(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(goldenFolder, "c_cam2", configFile))
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseConfig(raw, true)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, f := range c.Cameras() {
		keys = append(keys, f.Key)
	}
	if !slices.Equal(keys, []string{"observation.images.wrist", "observation.images.front"}) {
		t.Errorf("the cameras are told as %v, want the order of the file", keys)
	}
}

// identity makes a folder that does not scale.
func identity(h hostile) {
	for _, f := range []string{preprocessorFile, postprocessorFile} {
		var v map[string]any
		if err := json.Unmarshal(h.read(f), &v); err != nil {
			h.t.Fatal(err)
		}
		for _, s := range v["steps"].([]any) {
			step := s.(map[string]any)
			if m, ok := step["config"].(map[string]any)["norm_map"].(map[string]any); ok {
				for k := range m {
					m[k] = "IDENTITY"
				}
				delete(step, "state_file")
			}
		}
		raw, err := json.Marshal(v)
		if err != nil {
			h.t.Fatal(err)
		}
		h.write(f, raw)
	}
}

// conditionOf returns what a folder makes of the observations of its vectors.
func conditionOf(t *testing.T, h hostile, change func(Observation)) []float32 {
	t.Helper()
	history := observations(t, golden.OpenPolicy(t, goldenFolder, "c_env"), "in.")
	for _, o := range history {
		change(o)
	}
	c, err := open(t, h.dir, Options{}).Condition(t.Context(), history)
	if err != nil {
		t.Fatal(err)
	}
	return c.Data
}

// TestObservationsAreChecked wants an error that names what is wrong with an observation.
func TestObservationsAreChecked(t *testing.T) {
	if testing.Short() {
		t.Skip("what is refused before anything is computed")
	}
	g := golden.OpenPolicy(t, goldenFolder, "c_cam1")
	p := open(t, g.Folder(), Options{})
	for name, change := range map[string]func(o *Observation){
		"image 95x96":    func(o *Observation) { o.Images["observation.image"] = Image{95, 96, 3, make([]uint8, 95*96*3)} },
		"channels first": func(o *Observation) { o.Images["observation.image"] = Image{3, 96, 96, make([]uint8, 96*96*3)} },
		"short image":    func(o *Observation) { o.Images["observation.image"] = Image{96, 96, 3, nil} },
		"no image":       func(o *Observation) { delete(o.Images, "observation.image") },
		"long state":     func(o *Observation) { o.Vectors[stateKey] = []float32{1, 2, 3} },
		"no state":       func(o *Observation) { delete(o.Vectors, stateKey) },
		"nan":            func(o *Observation) { o.Vectors[stateKey] = []float32{1, float32(math.NaN())} },
		"infinite":       func(o *Observation) { o.Vectors[stateKey] = []float32{float32(math.Inf(1)), 0} },
	} {
		history := observations(t, g, "in.")
		change(&history[1])
		var e *ObservationError
		if _, err := p.Condition(t.Context(), history); !errors.As(err, &e) || e.Step != 1 {
			t.Errorf("%s: %v, want an *ObservationError of observation 1", name, err)
		}
	}
	var e *ObservationError
	if _, err := p.Condition(t.Context(), nil); !errors.As(err, &e) {
		t.Errorf("no history: %v, want an *ObservationError", err)
	}
}

// TestNamesThatTakeTurns renames two cameras to each other: the picture of each is that of the
// name that becomes it, though the other has its name, too.
func TestNamesThatTakeTurns(t *testing.T) {
	const left, right = "observation.images.left", "observation.images.right"
	p := &Policy{rename: map[string]string{left: right, right: left, "observation.images.top": "observation.images.down"}}
	for key, want := range map[string][]string{
		left:                      {right, "pixels.right"},
		right:                     {left, "pixels.left"},
		"observation.images.down": {"observation.images.down", "pixels.down", "observation.images.top", "pixels.top"},
		"observation.images.top":  nil,
		stateKey:                  {stateKey, "agent_pos"},
	} {
		if got := p.names(key); !slices.Equal(got, want) {
			t.Errorf("%s is looked for as %v, want %v", key, got, want)
		}
	}
}
