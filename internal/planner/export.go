package planner

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/messages"
	"github.com/go-pcd/pcd/internal/paths"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/internal/spelling"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/project/separation"
)

// Format is a kind of files that robots and their tools read.
type Format string

// The formats.
const (
	CSV       Format = "csv"         // motion.csv
	ROS       Format = "ros"         // ros/NAME.path.yaml of each robot, ros/trajectory.yaml of all
	MCAP      Format = "mcap"        // plan.mcap
	VDA5050   Format = "vda5050"     // vda5050/order_NAME.json, releases.json and zones.json, of version 3.0.0
	VDA5050v2 Format = "vda5050-2.1" // vda5050-2.1/order_NAME.json and releases.json, of version 2.1.0
)

// Formats lists the formats.
func Formats() []Format { return []Format{CSV, ROS, MCAP, VDA5050, VDA5050v2} }

// ParseFormats returns formats by their names.
func ParseFormats(names []string) (out []Format, err error) {
	for _, name := range names {
		f, err := spelling.OneOf("planner", "format", name, Formats())
		if err != nil {
			return nil, &RequestError{Field: "format", Value: quoted(name), Err: err}
		}
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out, nil
}

// messageRate is how often recordings and messages tell where robots are, a second.
const messageRate = 20

// ExportRate is how often the files of an export tell where robots are.
var ExportRate = settings.Number{Name: "rate", High: 100_000, Above: true, Help: "how often a second files tell where robots are (default: 50 in tables, 20 elsewhere)"}

// ExportTask writes a certified plan that exists as files that robots and their tools read.
type ExportTask struct {
	Name     string // of plan.json, for people
	Plan     []byte // its content
	Manifest []byte // of the manifest beside it, which has the digest of the scene; nil is none
	Formats  []string
	Rate     *float64

	formats []Format
	team    *messages.Team
}

// ExportSummary says what was written.
type ExportSummary struct {
	Plan     string   `json:"plan"`
	Robots   int      `json:"robots"`
	Duration float64  `json:"duration"` // seconds
	Formats  []Format `json:"formats"`
	Scene    string   `json:"scene_sha256,omitempty"`
	Digest   string   `json:"plan_sha256"`
	Files    []string `json:"files"`
}

var _ Task[ExportSummary] = (*ExportTask)(nil)

// Check implements [Task]. It reads the plan.
func (t *ExportTask) Check() (err error) {
	if t.formats, err = ParseFormats(t.Formats); err != nil {
		return err
	}
	if len(t.formats) == 0 {
		t.formats = Formats()
	}
	if err := within(ExportRate, t.Rate); err != nil {
		return err
	}
	var s PlanSummary
	if err := json.Unmarshal(t.Plan, &s); err != nil {
		return &RequestError{Field: "plan", Value: t.Name, Err: fmt.Errorf("%s is no plan.json: %w", t.Name, err)}
	}
	made := messages.Made{Plan: manifest.DigestBytes(t.Plan), Scene: sceneDigest(t.Manifest)}
	if t.team, err = teamOfPlan(&s, made); err != nil {
		return &RequestError{Field: "plan", Value: t.Name, Err: fmt.Errorf("%s: %w", t.Name, err)}
	}
	t.team.Plan = t.Plan
	return first(rateWithoutEffect(t.formats, t.team.Curved(), t.Rate), tooManyRows(t.team, t.Rate))
}

// rateWithoutEffect refuses a rate that no file of some formats depends on: of straight motion tables and messages have the
// waypoints, and orders have no times.
func rateWithoutEffect(formats []Format, curved bool, rate *float64) error {
	takes := []Format{MCAP}
	if curved {
		takes = []Format{CSV, ROS, MCAP}
	}
	if rate == nil || slices.ContainsFunc(formats, func(f Format) bool { return slices.Contains(takes, f) }) {
		return nil
	}
	reason := "which has no effect on motion polyline: tables and messages have its waypoints, and only mcap has more"
	if curved {
		reason = "which has no effect on orders, which have no times"
	}
	return &RequestError{Field: "rate", Value: *rate, Reason: reason}
}

// sceneDigest returns the digest of the scene of a manifest, "" where there is none.
func sceneDigest(text []byte) string {
	var m struct {
		Inputs map[string]manifest.Input `json:"inputs"`
	}
	if json.Unmarshal(text, &m) != nil {
		return ""
	}
	return m.Inputs["scene"].SHA256
}

// teamOfPlan returns what files are made of: a certified plan, as plan.json tells it.
func teamOfPlan(s *PlanSummary, made messages.Made) (*messages.Team, error) {
	switch {
	case s.Version < paths.OldestPlan || s.Version > PlanVersion:
		return nil, fmt.Errorf("planner: version %d of plan.json, want %d to %d", s.Version, paths.OldestPlan, PlanVersion)
	case s.Plan == nil || s.Plan.Proof == nil || !s.Plan.Certificate.Certified:
		return nil, fmt.Errorf("planner: it has no certified plan, and nothing else is given to robots")
	case len(s.Robots) == 0 || len(s.Times) < 2:
		return nil, fmt.Errorf("planner: it has %d robots and %d times", len(s.Robots), len(s.Times))
	}
	made.Margin, made.Program = s.Plan.Certificate.Margin, "pcd "+manifest.Version()
	m := &messages.Team{Name: orElse(s.Name, s.Task), Made: made, Room: math.Inf(1)}
	for _, kind := range []separation.Kind{separation.Bodies, separation.Obstacles} {
		if gap := s.Plan.Certificate.Gap(kind); gap != nil {
			m.Room = min(m.Room, *gap-made.Margin)
		}
	}
	for _, r := range s.Robots {
		p := &paths.Path{Robot: r.Name, Times: s.Times}
		states := s.Plan.Trajectories[r.Name]
		if len(states) != len(s.Times) {
			return nil, fmt.Errorf("planner: %s has %d waypoints, want %d", quoted(r.Name), len(states), len(s.Times))
		}
		for _, x := range states {
			if len(x) != 4 {
				return nil, fmt.Errorf("planner: a waypoint of %s has %d numbers, want 4", quoted(r.Name), len(x))
			}
			p.X = append(p.X, geom.Vec2{X: x[0], Y: x[1]})
			if s.Motion == plan.Curve {
				p.V = append(p.V, geom.Vec2{X: x[2], Y: x[3]})
			}
		}
		m.Robots = append(m.Robots, messages.Robot{Name: r.Name, Radius: r.Radius, Path: p, Turns: r.turns()})
	}
	for _, mover := range s.Plan.Proof.Traffic {
		r, err := mover.robot(s.Times)
		if err != nil {
			return nil, err
		}
		m.Traffic = append(m.Traffic, r)
	}
	for _, solid := range s.Plan.Proof.Solids {
		c := geom.Convex{Radius: solid.Radius}
		for _, v := range solid.Core {
			c.Core = append(c.Core, geom.Vec2{X: v[0], Y: v[1]})
		}
		m.Obstacles = append(m.Obstacles, c)
	}
	if b := s.Plan.Proof.Border; b != nil {
		m.Border = &geom.Box{Min: geom.Vec2{X: b[0][0], Y: b[0][1]}, Max: geom.Vec2{X: b[1][0], Y: b[1][1]}}
	}
	return m, nil
}

// robot returns traffic on its path. Its times count waypoints.
func (p ProofTraffic) robot(times []float64) (messages.Robot, error) {
	way := &paths.Path{Robot: p.Name, Times: times}
	if len(p.Times) > 0 {
		way.Times = make([]float64, len(p.Times))
		for k, at := range p.Times {
			way.Times[k] = at * times[1]
		}
	}
	if len(p.Path) != len(way.Times) || len(p.Path) == 0 {
		return messages.Robot{}, fmt.Errorf("planner: traffic %s has %d points, want %d", quoted(p.Name), len(p.Path), len(way.Times))
	}
	for _, x := range p.Path {
		way.X = append(way.X, geom.Vec2{X: x[0], Y: x[1]})
	}
	return messages.Robot{Name: p.Name, Radius: p.Radius, Path: way}, nil
}

// rateOf returns the rate that is asked for, which tooManyRows has bounded, or the usual one, less
// often where files would become too large.
func rateOf(m *messages.Team, rate *float64, usual float64) float64 {
	last := m.Robots[0].Path.Times
	return value(rate, min(usual, maxRows/(last[len(last)-1]*float64(len(m.Robots)))))
}

// tooManyRows refuses a rate at which files become too large.
func tooManyRows(m *messages.Team, rate *float64) error {
	last := m.Robots[0].Path.Times
	if rate != nil && *rate*last[len(last)-1]*float64(len(m.Robots)) > maxRows {
		return &RequestError{Field: "rate", Value: *rate, Reason: fmt.Sprintf("want at most %d rows of all robots together", maxRows)}
	}
	return nil
}

// formatFiles lists the files of formats for robots of some names.
func formatFiles(formats []Format, robots []string) (out []string) {
	serials := messages.Serials(robots)
	for _, f := range formats {
		switch f {
		case CSV:
			out = append(out, motionFile)
		case MCAP:
			out = append(out, "plan.mcap")
		case ROS:
			out = append(out, "ros/trajectory.yaml")
			for _, s := range serials {
				out = append(out, "ros/"+s+".path.yaml")
			}
		case VDA5050, VDA5050v2:
			out = append(out, string(f)+"/releases.json")
			for _, s := range serials {
				out = append(out, fmt.Sprintf("%s/order_%s.json", f, s))
			}
			if f == VDA5050 {
				out = append(out, string(f)+"/zones.json")
			}
		}
	}
	return out
}

// writtenFile is a file that is written when it is asked for.
type writtenFile struct {
	name  string
	write func(w io.Writer) error
}

// formatParts returns the files of formats.
func formatParts(ctx context.Context, formats []Format, m *messages.Team, rate *float64) (out []part, err error) {
	files, err := formatWriters(ctx, formats, m, rate)
	for _, f := range files {
		out = append(out, part{f.name, func(path string) error { return atomicfile.Write(path, f.write) }})
	}
	return out, err
}

// formatWriters returns the files of formats as they are written.
func formatWriters(ctx context.Context, formats []Format, m *messages.Team, rate *float64) (out []writtenFile, err error) {
	add := func(name string, write func(w io.Writer) error) { out = append(out, writtenFile{name, write}) }
	often := rateOf(m, rate, messageRate)
	for _, f := range formats {
		switch f {
		case CSV:
			add(motionFile, func(w io.Writer) error { return m.CSV(w, rateOf(m, rate, PlanRate.Default)) })
		case MCAP:
			add("plan.mcap", func(w io.Writer) error { return m.MCAP(w, often) })
		case ROS:
			add("ros/trajectory.yaml", func(w io.Writer) error { return m.ROSTrajectory(w, often) })
			for i, s := range m.Serials() {
				add("ros/"+s+".path.yaml", func(w io.Writer) error { return m.ROSPath(w, i, often) })
			}
		case VDA5050, VDA5050v2:
			version := messages.VDA30
			if f == VDA5050v2 {
				version = messages.VDA21
			}
			files, err := m.VDA5050(ctx, version, time.Now())
			if err != nil {
				return nil, err
			}
			for _, name := range slices.Sorted(maps.Keys(files)) {
				add(path.Join(string(f), name), func(w io.Writer) error { _, err := w.Write(files[name]); return err })
			}
		}
	}
	return out, nil
}

// Files implements [Task].
func (t *ExportTask) Files() []string {
	var names []string
	for _, r := range t.team.Robots {
		names = append(names, r.Name)
	}
	return formatFiles(t.formats, names)
}

// Run implements [Task].
func (t *ExportTask) Run(ctx context.Context, _ Watch, f *Folder) (*Outcome[ExportSummary], error) {
	s := t.summary()
	parts, err := formatParts(ctx, t.formats, t.team, t.Rate)
	if err != nil {
		return nil, err
	}
	out := &Outcome[ExportSummary]{
		Name: "export", Summary: s, Settings: map[string]any{"formats": t.formats, "rate": t.Rate},
		Inputs:   map[string]manifest.Input{"plan": {Path: t.Name, SHA256: t.team.Made.Plan}},
		setFiles: func(files []string) { s.Files = files }, parts: func() ([]part, error) { return parts, nil },
	}
	if d := t.team.Made.Scene; d != "" {
		out.Inputs["scene"] = manifest.Input{SHA256: d}
	}
	return out, out.writeTo(f)
}

func (t *ExportTask) summary() *ExportSummary {
	last := t.team.Robots[0].Path.Times
	return &ExportSummary{
		Plan: t.Name, Robots: len(t.team.Robots), Duration: last[len(last)-1], Formats: t.formats,
		Scene: t.team.Made.Scene, Digest: t.team.Made.Plan, Files: []string{},
	}
}

// WriteArchive writes the files of a checked task, as they lie in the folder of one, into a ZIP archive; a
// single file it writes as it is.
func (t *ExportTask) WriteArchive(ctx context.Context, to io.Writer) error {
	files, err := formatWriters(ctx, t.formats, t.team, t.Rate)
	if err != nil {
		return err
	}
	if len(files) == 1 {
		return files[0].write(to)
	}
	z := zip.NewWriter(to)
	for _, f := range files {
		w, err := z.Create(f.name)
		if err == nil {
			err = f.write(w)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// WriteFile writes one file of a checked task, whose name says the format by its ending: .csv,
// .mcap, or .yaml for the trajectory of all robots.
func (t *ExportTask) WriteFile(ctx context.Context, file string) (*ExportSummary, error) {
	write := map[string]func(w io.Writer) error{
		".csv":  func(w io.Writer) error { return t.team.CSV(w, rateOf(t.team, t.Rate, PlanRate.Default)) },
		".mcap": func(w io.Writer) error { return t.team.MCAP(w, rateOf(t.team, t.Rate, messageRate)) },
		".yaml": func(w io.Writer) error { return t.team.ROSTrajectory(w, rateOf(t.team, t.Rate, messageRate)) },
	}[strings.ToLower(path.Ext(file))]
	if write == nil {
		return nil, &RequestError{Field: "output", Value: quoted(file), Reason: "want a folder, or a file that ends in .csv, .mcap or .yaml"}
	}
	s := t.summary()
	s.Formats = []Format{map[string]Format{".csv": CSV, ".mcap": MCAP, ".yaml": ROS}[strings.ToLower(path.Ext(file))]}
	if err := rateWithoutEffect(s.Formats, t.team.Curved(), t.Rate); err != nil {
		return nil, err
	}
	s.Files = []string{file}
	return s, atomicfile.Write(file, write)
}
