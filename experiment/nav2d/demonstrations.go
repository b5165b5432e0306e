package nav2d

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/tensor"
)

// GenerateOptions say which demonstrations to make. The zero value makes the set
// that the shipped models are trained on.
type GenerateOptions struct {
	Seed       uint64 `json:"seed"`
	Contexts   int    `json:"contexts"`    // pairs of start and goal; 0 is 16000
	PerContext int    `json:"per_context"` // trajectories each; 0 is 2
	Workers    int    `json:"-"`
	// Progress is called as contexts finish. It may be nil.
	Progress func(done, total int) `json:"-"`
}

const (
	defaultContexts   = 16000
	defaultPerContext = 2
	// partContexts is how many contexts make a part, the piece of work that an
	// interruption can cost.
	partContexts = 200
)

// WithDefaults replaces zeros by the numbers that they stand for.
func (o GenerateOptions) WithDefaults() GenerateOptions {
	if o.Contexts == 0 {
		o.Contexts = defaultContexts
	}
	if o.PerContext == 0 {
		o.PerContext = defaultPerContext
	}
	return o
}

// mostTrajectories bounds a set; its trajectories are in memory together and take a
// kilobyte each.
const mostTrajectories = 1 << 20

// Check returns an error for numbers that make no set.
func (o GenerateOptions) Check() error {
	o = o.WithDefaults()
	if err := experiment.CheckRoom(float64(o.Contexts)*float64(o.PerContext), stateBytes, "trajectories"); err != nil {
		return err
	}
	return experiment.CheckBounds(
		experiment.Bound{Name: "contexts", Value: float64(o.Contexts), Low: 1, High: mostTrajectories},
		experiment.Bound{Name: "trajectories per context", Value: float64(o.PerContext), Low: 1, High: mostTrajectories},
		experiment.Bound{Name: "contexts × trajectories", Value: float64(o.Contexts) * float64(o.PerContext), High: mostTrajectories})
}

// partsDir is where the parts of an unfinished set lie.
const partsDir = "parts"

// TrajectoriesFile is the name of a finished set in its directory.
const TrajectoriesFile = "trajectories.npz"

// Generate makes demonstrations for a map and writes them to a directory, with
// their report. It continues where an interrupted call with the same options
// stopped, and refuses a directory that holds another set.
func Generate(ctx context.Context, dir string, m *nav2d.Map, opts GenerateOptions) (tensor.Batch, nav2d.DemonstrationReport, error) {
	o := opts.WithDefaults()
	none := tensor.Batch{}
	if err := o.Check(); err != nil {
		return none, nav2d.DemonstrationReport{}, err
	}
	if err := claim(dir, m, o); err != nil {
		return none, nav2d.DemonstrationReport{}, err
	}
	var parts []tensor.Batch
	for first := 0; first < o.Contexts; first += partContexts {
		part, err := makePart(ctx, dir, m, o, first)
		if err != nil {
			return none, nav2d.DemonstrationReport{}, err
		}
		parts = append(parts, part)
		if o.Progress != nil {
			o.Progress(min(first+partContexts, o.Contexts), o.Contexts)
		}
	}
	all := join(parts)
	report := nav2d.Describe(m, all)
	if err := SaveTrajectories(filepath.Join(dir, TrajectoriesFile), all); err != nil {
		return none, report, err
	}
	if err := experiment.WriteJSON(filepath.Join(dir, "report.json"), report); err != nil {
		return none, report, err
	}
	return all, report, os.RemoveAll(filepath.Join(dir, partsDir))
}

// claimed is the file that says which set a directory holds.
const claimed = "settings.json"

// maxClaim is more than it can have.
const maxClaim = 64 << 10

// claim makes the directory, or checks that what is there belongs to this set.
func claim(dir string, m *nav2d.Map, o GenerateOptions) error {
	if err := os.MkdirAll(filepath.Join(dir, partsDir), 0o755); err != nil {
		return err
	}
	want := fmt.Sprintf("%s, seed %d, %d contexts of %d trajectories", m.Name, o.Seed, o.Contexts, o.PerContext)
	path := filepath.Join(dir, claimed)
	data, err := regular.ReadFile(path, maxClaim)
	if errors.Is(err, fs.ErrNotExist) {
		return experiment.WriteJSON(path, want)
	}
	if err != nil {
		return err
	}
	var have string
	if json.Unmarshal(data, &have) != nil {
		have = strings.TrimSuffix(string(data), "\n") // of earlier versions
	}
	if have != want {
		return &experiment.SpecError{Err: fmt.Errorf("nav2d: %s holds another set (%s), not %s; choose another directory", dir, quote.Text(have), want)}
	}
	return nil
}

// makePart returns the part that begins with a context, generated or read.
func makePart(ctx context.Context, dir string, m *nav2d.Map, o GenerateOptions, first int) (tensor.Batch, error) {
	path := filepath.Join(dir, partsDir, fmt.Sprintf("%07d.npz", first))
	if b, err := LoadTrajectories(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return b, err
	}
	d, err := nav2d.Generate(ctx, m, nav2d.DemonstrationOptions{
		Seed: o.Seed, First: first, Contexts: min(partContexts, o.Contexts-first), PerContext: o.PerContext, Workers: o.Workers,
	}, nil)
	if err != nil {
		return tensor.Batch{}, err
	}
	return d.Trajectories, SaveTrajectories(path, d.Trajectories)
}

func join(parts []tensor.Batch) tensor.Batch {
	all := tensor.Batch{Shape: tensor.Shape{nav2d.Waypoints, nav2d.Channels}}
	for _, p := range parts {
		all.N += p.N
		all.Data = append(all.Data, p.Data...)
	}
	return all
}

// trajectoriesName is the array of a file of trajectories.
const trajectoriesName = "trajectories"

// SaveTrajectories writes trajectories of shape [waypoints, channels] as the array
// "trajectories" of an npz file.
func SaveTrajectories(path string, b tensor.Batch) error {
	a, err := dataset.NewArray(trajectoriesName, append([]int{b.N}, b.Shape...), b.Data)
	if err != nil {
		return err
	}
	return dataset.WriteNPZ(path, a)
}

// LoadTrajectories reads what [SaveTrajectories] wrote, or the first array of
// another npz file that has the shape of trajectories, or a single array as an npy
// file.
func LoadTrajectories(path string) (tensor.Batch, error) {
	arrays, err := readArrays(path)
	if err != nil {
		return tensor.Batch{}, err
	}
	for _, a := range arrays {
		if len(a.Shape) == 3 && a.Shape[1] == nav2d.Waypoints && a.Shape[2] == nav2d.Channels {
			b, err := a.Batch()
			if err != nil {
				return b, err
			}
			return b, b.CheckFinite()
		}
	}
	return tensor.Batch{}, fmt.Errorf("nav2d: %s has no array of shape [n %d %d]", path, nav2d.Waypoints, nav2d.Channels)
}

// readArrays reads the arrays of an npz or npy file.
func readArrays(path string) ([]dataset.Array, error) {
	if strings.ToLower(filepath.Ext(path)) != ".npy" {
		return dataset.ReadNPZ(path, dataset.ReadOptions{})
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := dataset.ReadNPY(f, dataset.ReadOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return []dataset.Array{a}, nil
}

// OutsideError says that a demonstration leaves its map: it is of another map, or in
// other units.
type OutsideError struct {
	Map                  string
	Trajectory, Waypoint int
	Position             geom.Vec2
	Bounds               geom.Box
}

func (e *OutsideError) Error() string {
	b := e.Bounds
	return fmt.Sprintf("nav2d: waypoint %d of trajectory %d lies at (%g, %g), far outside of the map %s, which reaches from (%g, %g) to (%g, %g): positions are wanted in units of the map",
		e.Waypoint, e.Trajectory, e.Position.X, e.Position.Y, e.Map, b.Min.X, b.Min.Y, b.Max.X, b.Max.Y)
}

// outside is how far beyond a map its demonstrations may go, as a share of its size:
// some recorded trajectories graze the border.
const outside = 0.05

// CheckInside returns an [OutsideError] for the first position of demonstrations
// that lies far outside of their map.
func CheckInside(m *nav2d.Map, x tensor.Batch) error {
	b := m.Bounds
	slack := geom.Vec2{X: outside * (b.Max.X - b.Min.X), Y: outside * (b.Max.Y - b.Min.Y)}
	for i := range x.N {
		for w, p := range geom.Points(nil, x.Sample(i), nav2d.Channels) {
			if p.X < b.Min.X-slack.X || p.X > b.Max.X+slack.X || p.Y < b.Min.Y-slack.Y || p.Y > b.Max.Y+slack.Y {
				return &OutsideError{Map: m.Name, Trajectory: i, Waypoint: w, Position: p, Bounds: b}
			}
		}
	}
	return nil
}
