package nav2d

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/tensor"
)

// GenerateOptions say which demonstrations to make. The zero value makes the set
// that the shipped models are trained on.
type GenerateOptions struct {
	Seed       uint64  `json:"seed"`
	Contexts   int     `json:"contexts"`         // pairs of start and goal; 0 is 16000
	PerContext int     `json:"per_context"`      // trajectories each; 0 is 2
	Radius     float64 `json:"radius,omitempty"` // of the robot of a hall, where it was asked for
	Workers    int     `json:"-"`
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
	return errors.Join(experiment.CheckNumbers(SpecContexts, float64(o.Contexts)), experiment.CheckNumbers(SpecPerContext, float64(o.PerContext)),
		experiment.CheckBounds(experiment.Bound{Name: "contexts × trajectories", Value: float64(o.Contexts) * float64(o.PerContext), High: mostTrajectories}))
}

// TrajectoriesFile is the name of a finished set in its directory.
const TrajectoriesFile = "trajectories.npz"

// Set is a set of demonstrations that was generated.
type Set struct {
	Map          string
	Trajectories tensor.Batch
	Report       nav2d.DemonstrationReport
	pieces       *manifest.Pieces
}

// The files of a set beside its trajectories: what it amounts to, and which set the
// directory holds.
const (
	reportFile = "report.json"
	claimed    = "settings.json"
)

// SetFiles lists the files of a set.
func SetFiles() []string { return []string{TrajectoriesFile, reportFile, claimed} }

// Generate makes demonstrations for a map, and keeps what is done of them in a directory. It
// continues where an interrupted call with the same options stopped, and refuses a
// directory that holds another set.
func Generate(ctx context.Context, dir string, m *nav2d.Map, opts GenerateOptions) (*Set, error) {
	o := opts.WithDefaults()
	if err := o.Check(); err != nil {
		return nil, err
	}
	if err := claim(dir, o.describe(m)); err != nil {
		return nil, err
	}
	pieces, err := manifest.NewPieces(dir, o.describe(m))
	if err != nil {
		return nil, err
	}
	var parts []tensor.Batch
	for first := 0; first < o.Contexts; first += partContexts {
		part, err := makePart(ctx, pieces, m, o, first)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		if o.Progress != nil {
			o.Progress(min(first+partContexts, o.Contexts), o.Contexts)
		}
	}
	all := join(parts)
	return &Set{Map: m.Name, Trajectories: all, Report: nav2d.Describe(m, all), pieces: pieces}, nil
}

// Add makes the files of the set in a folder.
func (s *Set) Add(out *manifest.Folder) error {
	return errors.Join(
		out.Add(TrajectoriesFile, func(path string) error { return SaveTrajectories(path, s.Trajectories, s.Map) }),
		out.Add(reportFile, func(path string) error { return atomicfile.WriteJSON(path, s.Report) }),
		out.Add(claimed, func(path string) error { return copyFile(path, out.Path(claimed)) }))
}

// RemovePieces removes what was kept of the set, which is finished.
func (s *Set) RemovePieces() { s.pieces.Remove() }

// describe says which set options make.
func (o GenerateOptions) describe(m *nav2d.Map) string {
	set := fmt.Sprintf("%s, seed %d, %d contexts of %d trajectories", m.Name, o.Seed, o.Contexts, o.PerContext)
	if o.Radius > 0 {
		set += fmt.Sprintf(", radius %v", o.Radius)
	}
	return set
}

// CheckHeld refuses a directory that holds another set than options make.
func (o GenerateOptions) CheckHeld(dir string, m *nav2d.Map) error {
	return claim(dir, o.WithDefaults().describe(m))
}

// maxClaim is more than it can have.
const maxClaim = 64 << 10

// claim makes the directory, or checks that what is there belongs to this set.
func claim(dir, want string) error {
	if err := atomicfile.MkdirAll(dir); err != nil {
		return err
	}
	path := filepath.Join(dir, claimed)
	data, err := regular.ReadFile(path, maxClaim)
	if errors.Is(err, fs.ErrNotExist) {
		return atomicfile.WriteJSON(path, want)
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

func copyFile(to, from string) error {
	f, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return atomicfile.Write(to, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}

// makePart returns the part that begins with a context, generated or read.
func makePart(ctx context.Context, pieces *manifest.Pieces, m *nav2d.Map, o GenerateOptions, first int) (tensor.Batch, error) {
	path := pieces.Path(fmt.Sprintf("%07d.npz", first))
	n := min(partContexts, o.Contexts-first)
	if b, err := LoadTrajectories(path); err == nil && b.N == n*o.PerContext {
		return b, nil // anything else is generated again
	}
	d, err := nav2d.Generate(ctx, m, nav2d.DemonstrationOptions{
		Seed: o.Seed, First: first, Contexts: n, PerContext: o.PerContext, Workers: o.Workers,
	}, nil)
	if err != nil {
		return tensor.Batch{}, err
	}
	if err := pieces.Make(); err != nil {
		return tensor.Batch{}, err
	}
	return d.Trajectories, SaveTrajectories(path, d.Trajectories, m.Name)
}

func join(parts []tensor.Batch) tensor.Batch {
	all := tensor.Batch{Shape: tensor.Shape{nav2d.Waypoints, nav2d.Channels}}
	for _, p := range parts {
		all.N += p.N
		all.Data = append(all.Data, p.Data...)
	}
	return all
}

// The arrays of a file of trajectories: they, and the letters of the map that they were made
// on.
const (
	trajectoriesName = "trajectories"
	mapName          = "map"
)

// SaveTrajectories writes trajectories of shape [waypoints, channels] as the array
// "trajectories" of an npz file, and the name of their map as the array "map" of bytes.
func SaveTrajectories(path string, b tensor.Batch, on string) error {
	a, err := dataset.NewArray(trajectoriesName, append([]int{b.N}, b.Shape...), b.Data)
	if err != nil {
		return err
	}
	m, err := dataset.NewArray(mapName, []int{len(on)}, []byte(on))
	if err != nil {
		return err
	}
	return dataset.WriteNPZ(path, a, m)
}

// Origin returns the map that the trajectories in a file were made on: what the file says
// itself, or the manifest beside it. It is "" when neither says anything.
func Origin(path string) (string, error) {
	arrays, err := readArrays(path)
	if err != nil {
		return "", err
	}
	for _, a := range arrays {
		if a.Name != mapName {
			continue
		}
		if letters, err := dataset.Values[uint8](a); err == nil {
			return string(letters), nil
		}
	}
	m, err := manifest.Read(filepath.Dir(path))
	if err != nil {
		return "", nil // it is not of a run
	}
	digest, err := manifest.DigestFile(path)
	if err != nil || m.Files[filepath.Base(path)] != digest || len(m.Command) < 4 || !slices.Equal(m.Command[1:3], []string{"data", "gen"}) {
		return "", err
	}
	return m.Command[3], nil
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
			if err := b.CheckFinite(); err != nil {
				return b, &dataset.FormatError{File: path, Part: a.Name, Err: err}
			}
			return b, nil
		}
	}
	return tensor.Batch{}, &dataset.FormatError{File: path, Reason: fmt.Sprintf("it has no array of shape [n %d %d]", nav2d.Waypoints, nav2d.Channels)}
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
