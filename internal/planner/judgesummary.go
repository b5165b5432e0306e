package planner

import (
	"context"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/internal/judge"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/paths"
	"github.com/go-pcd/pcd/internal/told"
)

// JudgeSummary is the judgement on some paths, and what judge.json holds. Lengths are in
// Units, times in seconds on the clock of the paths.
type JudgeSummary struct {
	Status      manifest.Status  `json:"status"`
	Task        string           `json:"task"`
	Name        string           `json:"name,omitempty"`
	Map         *nav2d.MapFile   `json:"map,omitempty"`
	Notes       []string         `json:"notes,omitempty"`
	Units       Units            `json:"units"`
	Paths       []JudgedFile     `json:"paths"`
	Robots      []JudgedRobot    `json:"robots"`
	Certificate JudgeCertificate `json:"certificate"`
	// Contacts are all places and times where robots come nearer to something than they may;
	// Exceeded are those where they leave their limits, or start or end elsewhere.
	Contacts []JudgedFault `json:"contacts"`
	Exceeded []JudgedFault `json:"exceeded"`
	// Contradictions are what a file says of itself and is not so.
	Contradictions []string    `json:"contradictions,omitempty"`
	Proof          *JudgeProof `json:"proof,omitempty"` // of certified paths with times
	// StoredProof is what was found of the proof that the file of a plan has.
	StoredProof *StoredProof `json:"stored_proof,omitempty"`
	Files       []string     `json:"files"`
}

// JudgedFile is a file of paths.
type JudgedFile struct {
	File   string     `json:"file"`
	Kind   paths.Kind `json:"kind"`
	Robots int        `json:"robots"`
}

// JudgedRobot is a robot and its path.
type JudgedRobot struct {
	Name         string   `json:"name"`
	Radius       float64  `json:"radius"`
	Limit        *float64 `json:"limit"`                  // of its speed; null for none
	Acceleration *float64 `json:"acceleration,omitempty"` // limit
	Motion       string   `json:"motion"`                 // "polyline", "curve", or "order" of a way without times
	Points       int      `json:"points"`
	From         float64  `json:"from"` // time of the first point
	To           float64  `json:"to"`   // and of the last one
	Length       float64  `json:"length"`
}

// JudgeCertificate says whether all constraints hold at every instant.
type JudgeCertificate struct {
	Certified bool    `json:"certified"`
	Margin    float64 `json:"margin"` // that is kept beyond contact
	// Lateness is how late robots and traffic may be, in seconds, of what the scene asks for and
	// the file says; 0 is on time.
	Lateness float64        `json:"lateness,omitempty"`
	Margins  []JudgedMargin `json:"margins"`
}

// JudgedMargin is the smallest margin of a kind of constraint, and where it is.
type JudgedMargin struct {
	Constraint judge.Kind `json:"constraint"`
	Margin     float64    `json:"margin"`
	Robot      string     `json:"robot"`
	Other      string     `json:"other,omitempty"`
	Obstacle   *int       `json:"obstacle,omitempty"`
	Time       float64    `json:"time"`
	At         [2]float64 `json:"at"` // where the robot is
}

// JudgedFault is where a constraint fails.
type JudgedFault struct {
	Constraint judge.Kind `json:"constraint"`
	Robot      string     `json:"robot"`
	Other      string     `json:"other,omitempty"`
	Obstacle   *int       `json:"obstacle,omitempty"`
	From       float64    `json:"from"`
	To         float64    `json:"to"`
	Time       float64    `json:"time"` // when it is worst
	At         [2]float64 `json:"at"`   // where the robot is then
	// Gap is the distance of both then, negative where they overlap: by that they are deep in
	// each other. By is what is missing: of the margin, or of a limit.
	Gap     float64 `json:"gap"`
	By      float64 `json:"by"`
	Anytime bool    `json:"anytime,omitempty"` // one of both has no times: their ways meet

	size    float64 // the radius of the robot: so exactly its place is told
	turning float64 // its turning radius
	corners bool    // its path is straight from point to point
}

// JudgeProof is what a stranger needs to check a certificate: the motions that were judged,
// and rows (i, j, from, to, n_x, n_y). In the pieces of both motions between these times,
// n·(x − y) ≥ (r_i + r_j) ‖n‖ for their four points x and y; obstacles have the vertices of
// their core for y, and rows as in [Proof]. Robots count from 0, traffic counts on.
type JudgeProof struct {
	Robots    []ProofPath    `json:"robots"`
	Traffic   []ProofPath    `json:"traffic,omitempty"`
	Solids    []ProofSolid   `json:"solids"`
	Border    *[2][2]float64 `json:"border,omitempty"`
	Pairs     [][6]float64   `json:"pairs"`
	Obstacles [][6]float64   `json:"obstacles"`
}

// ProofPath is a motion that was judged: straight between points (x, y), or on cubics between
// states (x, y, vx, vy). Before and after them it rests.
type ProofPath struct {
	Name   string      `json:"name"`
	Radius float64     `json:"radius"`
	Inset  float64     `json:"inset,omitempty"` // distance of the centre from the border
	Times  []float64   `json:"times"`
	States [][]float64 `json:"states"`
}

// summarise returns the judgement, with its proof or all that fails.
func (t *JudgeTask) summarise(ctx context.Context, v *judge.Verdict) (*JudgeSummary, error) {
	w := t.world
	s := &JudgeSummary{
		Status: manifest.Finished, Task: orElse(t.Request.Task, "scene"), Notes: t.notes, Units: t.units,
		Contacts: []JudgedFault{}, Exceeded: []JudgedFault{}, Files: []string{},
		Certificate: JudgeCertificate{Certified: v.Certified(), Margin: w.Margin, Margins: []JudgedMargin{}},
	}
	if t.scene != nil {
		s.Name, s.Map = t.scene.Name, t.scene.MapFile
	}
	for k, f := range t.files {
		s.Paths = append(s.Paths, JudgedFile{t.Request.Paths[k].Name, f.Kind, len(f.Paths)})
	}
	for _, r := range w.Robots {
		s.Robots = append(s.Robots, judgedRobot(r))
	}
	for _, m := range v.Margins {
		one := JudgedMargin{Constraint: m.Kind, Margin: m.Value, Robot: w.Robots[m.Robot].Name, Time: m.At, At: [2]float64{m.Place.X, m.Place.Y}}
		one.Other, one.Obstacle = t.other(m.Kind, m.Other)
		s.Certificate.Margins = append(s.Certificate.Margins, one)
	}
	for _, f := range v.Faults {
		one := JudgedFault{
			Constraint: f.Kind, Robot: w.Robots[f.Robot].Name, From: f.From, To: f.To, Time: f.At, At: [2]float64{f.Place.X, f.Place.Y},
			Gap: f.Gap, By: f.By, Anytime: f.Anytime, size: w.Robots[f.Robot].Radius, turning: w.Robots[f.Robot].TurningRadius, corners: !w.Robots[f.Robot].Path.Curved(),
		}
		one.Other, one.Obstacle = t.other(f.Kind, f.Other)
		switch f.Kind {
		case judge.Separation, judge.Obstacles, judge.Border:
			s.Contacts = append(s.Contacts, one)
		default:
			s.Exceeded = append(s.Exceeded, one)
		}
	}
	s.corners(w)
	s.spots(w)
	if !v.Certified() {
		s.fewRows(t)
		s.waits(t)
	}
	s.contradict(t)
	if err := t.judgeLate(ctx, s); err != nil {
		return nil, err
	}
	if err := s.verifyStored(ctx, t); err != nil {
		return nil, err
	}
	if !v.Certified() {
		return s, nil
	}
	rows, proven, err := w.Prove(ctx)
	if err == nil && proven {
		s.Proof = proofOf(w, rows)
	}
	return s, err
}

// other returns the name of another body, or the number of an obstacle.
func (t *JudgeTask) other(kind judge.Kind, k int) (string, *int) {
	switch w := t.world; {
	case kind == judge.Obstacles:
		return "", &k
	case kind != judge.Separation:
		return "", nil
	case k < len(w.Robots):
		return w.Robots[k].Name, nil
	default:
		return w.Traffic[k-len(w.Robots)].Name, nil
	}
}

func judgedRobot(r judge.Robot) JudgedRobot {
	p, out := r.Path, JudgedRobot{Name: r.Name, Radius: r.Radius, Motion: "polyline", Points: len(r.Path.X), Length: geom.Length(r.Path.X)}
	if r.Speed > 0 {
		out.Limit = &r.Speed
	}
	if r.Acceleration > 0 {
		out.Acceleration = &r.Acceleration
	}
	switch {
	case p.Curved():
		out.Motion = "curve"
	case p.Times == nil:
		out.Motion = "order"
		return out
	}
	out.From, out.To = p.Times[0], p.Times[len(p.Times)-1]
	return out
}

// contradict compares what the files say of themselves with what was found.
func (s *JudgeSummary) contradict(t *JudgeTask) {
	radii, rounding := map[string]float64{}, 0.0
	for _, r := range t.world.Robots {
		radii[r.Name] = r.Radius
	}
	if b := t.world.Border; b != nil {
		rounding = 0x1p-45 * gaps.Extent(*b) // which the judge takes off its margins, up to a few times 2⁻⁴⁸
	}
	for k, f := range t.files {
		c := f.Claim
		if c == nil || len(t.files) > 1 {
			continue
		}
		say := func(format string, args ...any) {
			s.Contradictions = append(s.Contradictions, t.Request.Paths[k].Name+" says "+fmt.Sprintf(format, args...))
		}
		if text := t.Request.Scene; text != nil && c.Scene != "" && c.Scene != manifest.DigestBytes([]byte(*text)) {
			s.Notes = append(s.Notes, t.Request.Paths[k].Name+" was made for another scene than this, by its digest")
		}
		if c.Certified && !s.Certificate.Certified {
			say("that it is certified, and it is not")
		}
		for _, r := range t.world.Robots {
			if said, ok := c.Radii[r.Name]; ok && math.Abs(said-r.Radius) > 1e-9*r.Radius {
				say("that the radius of %s is %v, which is %v", r.Name, said, r.Radius)
			}
		}
		if !c.Certified || t.Request.Motion != "" || t.scene == nil {
			continue
		}
		for _, m := range s.Certificate.Margins {
			said, ok := c.Margins[string(m.Constraint)]
			if ok && said > m.Margin+1e-5*radii[m.Robot]+rounding {
				claimed, found := told.Apart(said, m.Margin, 6)
				say("that the margin of %s is %s, and it is %s", m.Constraint, claimed, found)
			}
		}
	}
}

// verdict returns the error of what is not certified.
func (s *JudgeSummary) verdict() error {
	if s.Certificate.Certified && len(s.Contradictions) == 0 {
		return nil
	}
	e := &JudgedError{Contacts: len(s.Contacts), Exceeded: len(s.Exceeded), Contradictions: s.Contradictions}
	if len(s.Contacts) > 0 {
		e.First = s.Contacts[0].Describe(s.Units)
	} else if len(s.Exceeded) > 0 {
		e.First = s.Exceeded[0].Describe(s.Units)
	}
	return e
}

// Describe says in words what fails, when, where and by how much.
func (f JudgedFault) Describe(u Units) string {
	place := "at " + told.Place(f.At[0], f.At[1], f.size)
	when := fmt.Sprintf("from %s to %s s, worst at %s s %s", told.Seconds(f.From), told.Seconds(f.To), told.Seconds(f.Time), place)
	if f.Anytime {
		when = "whenever, " + place
	}
	with := f.Other
	if f.Obstacle != nil {
		with = fmt.Sprintf("obstacle %d", *f.Obstacle)
	}
	length := u.Length
	switch f.Constraint {
	case judge.Separation, judge.Obstacles:
		if f.Gap < 0 {
			return fmt.Sprintf("%s and %s are %.3g %s deep in each other %s", f.Robot, with, -f.Gap, length, when)
		}
		return fmt.Sprintf("%s and %s are %.3g %s too near to each other %s", f.Robot, with, f.By, length, when)
	case judge.Border:
		return fmt.Sprintf("%s leaves the workspace by %.3g %s %s", f.Robot, f.By, length, when)
	case judge.Start, judge.Goal:
		return fmt.Sprintf("%s is %.3g %s from its %s at %s s %s", f.Robot, f.By, length, f.Constraint, told.Seconds(f.Time), place)
	case judge.Curvature:
		if onTheSpot(f.By, f.size) {
			where := "on the spot"
			if f.corners {
				where = "at a corner"
			}
			return fmt.Sprintf("%s turns %s, which its turning radius of %s %s does not allow, %s", f.Robot, where, told.Digits(f.turning, 3), length, when)
		}
		within, radius := told.Apart(1/(1/f.turning+f.By), f.turning, 3)
		return fmt.Sprintf("%s turns with a radius of %s %s, and its turning radius is %s, %s", f.Robot, within, length, radius, when)
	case judge.Heading:
		return fmt.Sprintf("%s is %.3g radians off its heading %s", f.Robot, f.By, when)
	default:
		return fmt.Sprintf("%s exceeds its %s limit by %.3g %s", f.Robot, f.Constraint, f.By, when)
	}
}

// onTheSpot reports whether a robot of a size that exceeds its curvature limit so much turns where it is: within less of its size
// than anybody sees.
func onTheSpot(by, size float64) bool { return by*size > 100 }

// proofOf returns the proof of a certified world.
func proofOf(w *judge.World, rows *judge.Proof) *JudgeProof {
	out := &JudgeProof{Solids: []ProofSolid{}, Pairs: [][6]float64{}, Obstacles: [][6]float64{}}
	for _, r := range w.Robots {
		out.Robots = append(out.Robots, proofPath(r))
	}
	for _, r := range w.Traffic {
		out.Traffic = append(out.Traffic, proofPath(r))
	}
	for _, c := range w.Obstacles {
		solid := ProofSolid{Radius: c.Radius}
		for _, v := range c.Core {
			solid.Core = append(solid.Core, [2]float64{v.X, v.Y})
		}
		out.Solids = append(out.Solids, solid)
	}
	if b := w.Border; b != nil {
		out.Border = &[2][2]float64{{b.Min.X, b.Min.Y}, {b.Max.X, b.Max.Y}}
	}
	for _, r := range rows.Pairs {
		out.Pairs = append(out.Pairs, [6]float64{float64(r.Robot), float64(r.Other), r.From, r.To, r.N.X, r.N.Y})
	}
	for _, r := range rows.Obstacles {
		out.Obstacles = append(out.Obstacles, [6]float64{float64(r.Robot), float64(r.Other), r.From, r.To, r.N.X, r.N.Y})
	}
	return out
}

func proofPath(r judge.Robot) ProofPath {
	out := ProofPath{Name: r.Name, Radius: r.Radius, Inset: r.Inset, Times: r.Path.Times}
	for k, x := range r.Path.X {
		state := []float64{x.X, x.Y}
		if r.Path.V != nil {
			state = append(state, r.Path.V[k].X, r.Path.V[k].Y)
		}
		out.States = append(out.States, state)
	}
	return out
}
