package teams

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/cputime"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/plan"
)

// CrowdSpec says which crowds are planned for: the first agents of every scenario (.scen) in a folder
// of the MovingAI benchmarks, on the map (.map) of the same name.
type CrowdSpec struct {
	Dir          string        `json:"dir"`
	Maps         []string      `json:"maps,omitempty"` // names without endings; all of the folder if empty
	Robots       []int         `json:"robots"`
	Radius       float64       `json:"radius"` // in cells
	Speed        float64       `json:"speed"`  // in cells per second
	Acceleration float64       `json:"acceleration,omitempty"`
	Motion       plan.Motion   `json:"motion"`
	Limit        time.Duration `json:"limit"` // of processor time of one crowd
}

// CrowdRow is what a crowd gave.
type CrowdRow struct {
	Map       string  `json:"map"`
	Robots    int     `json:"robots"`
	Certified bool    `json:"certified"`
	Reason    string  `json:"reason,omitempty"` // where it is not
	Processor float64 `json:"processor"`        // seconds, over both tries where there were two
	Peak      float64 `json:"peak"`             // MiB that the program had of the system
	Waypoints int     `json:"waypoints"`
	Seconds   float64 `json:"seconds"` // after which everybody is at the goal for good
	Length    float64 `json:"length"`  // of all ways together, in cells
	// Least and Shortest are what both are at least for one robot alone that moves from cell to cell: the seconds of the
	// longest of the shortest ways, and the sum of all of them. Smooth ways cut corners.
	Least    float64 `json:"least"`
	Shortest float64 `json:"shortest"`
}

// ErrNoCrowds says that a folder has no scenarios.
var ErrNoCrowds = errors.New("no scenarios (.scen) with a map (.map) of the same name")

// MeasureCrowds plans for the crowds of a spec. after is called with every row and may be nil.
func MeasureCrowds(ctx context.Context, spec CrowdSpec, models func(name string) (*plan.Model, error), workers int, after func(CrowdRow)) (rows []CrowdRow, err error) {
	model, err := models("empty") // one for all: each has its own memory
	if err != nil {
		return nil, err
	}
	models = func(string) (*plan.Model, error) { return model, nil }
	all, err := fs.Glob(regular.DirFS(spec.Dir), "*.scen")
	if err != nil {
		return nil, err
	}
	for _, scen := range all {
		name := strings.TrimSuffix(scen, ".scen")
		if len(spec.Maps) > 0 && !slices.Contains(spec.Maps, name) {
			continue
		}
		for _, n := range spec.Robots {
			row, err := spec.measure(ctx, name, n, models, workers)
			if err != nil {
				return rows, fmt.Errorf("%s, %d robots: %w", name, n, err)
			}
			if rows = append(rows, row); after != nil {
				after(row)
			}
		}
	}
	if rows == nil {
		return nil, &experiment.SpecError{Err: fmt.Errorf("%s: %w", spec.Dir, ErrNoCrowds)}
	}
	return rows, nil
}

// The time that a crowd on straight ways has at first: so many times the longest of the shortest ways, and so many cells.
const (
	moreTime  = 1.3
	moreCells = 20
)

// measure plans for one crowd, and again if its ways are found to need more time than it had.
func (s CrowdSpec) measure(ctx context.Context, name string, n int, models func(name string) (*plan.Model, error), workers int) (row CrowdRow, err error) {
	row = CrowdRow{Map: name, Robots: n}
	row.Shortest, row.Least, err = s.bounds(name, n)
	if err != nil {
		return row, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	meter := startMeter(s.Limit, cancel)
	duration := 0.0 // the shortest
	if s.Motion == plan.Polyline {
		duration = moreTime*row.Least + moreCells/s.Speed
	}
	for range 2 {
		var needs float64
		if needs, err = s.plan(ctx, &row, duration, models, workers); needs == 0 {
			break
		}
		duration = needs
	}
	row.Processor, row.Peak = meter.stop()
	if errors.Is(err, context.Canceled) && meter.over {
		row.Reason, err = fmt.Sprintf("not done after %v of processor time", s.Limit), nil
	}
	return row, err
}

// plan plans for one crowd in some seconds, 0 being the shortest time, and returns how many it needs if that is known to be more.
func (s CrowdSpec) plan(ctx context.Context, row *CrowdRow, seconds float64, models func(name string) (*plan.Model, error), workers int) (needs float64, err error) {
	task, err := s.task(row.Map, row.Robots, seconds)
	if err != nil {
		return 0, err
	}
	if err := task.CheckReach(task.Waypoints, task.Step); err != nil {
		row.Reason = err.Error()
		return 0, nil
	}
	team, err := plan.TeamOfTask(task, models)
	if err != nil {
		return 0, err
	}
	team.Motion = s.Motion
	r, err := plan.Run(ctx, team, plan.Options{Workers: workers})
	if err != nil {
		return 0, err
	}
	row.Reason = ""
	if r.Plan == nil {
		row.Reason = r.Refusal.Error()
		return r.Refusal.Seconds, nil
	}
	p := r.Plan
	row.Certified, row.Waypoints, row.Length = true, len(p.Times), p.Length
	for i, x := range p.Trajectories {
		row.Seconds = max(row.Seconds, p.Times[arrival(geom.Points(nil, x.Sample(0), nav2d.Channels), team.RadiusOf(team.Robots[i])/100)])
	}
	return 0, nil
}

// arrival returns the waypoint from which a path stays where it ends, up to some distance.
func arrival(path []geom.Vec2, near float64) int {
	h := len(path) - 1
	for h > 0 && path[h-1].Dist(path[len(path)-1]) <= near {
		h--
	}
	return h
}

// task returns the scene of a crowd.
func (s CrowdSpec) task(name string, n int, seconds float64) (*nav2d.Task, error) {
	text := fmt.Sprintf("map: {file: %q}\nteam: {file: %q, count: %d, radius: %v, speed: %v}\nmotion: %q\n", name+".map", name+".scen", n, s.Radius, s.Speed, s.Motion)
	if seconds > 0 {
		text += fmt.Sprintf("duration: %v\n", seconds)
	}
	if s.Acceleration > 0 {
		text += fmt.Sprintf("acceleration: %v\n", s.Acceleration)
	}
	scene, err := nav2d.ReadScene(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	if err := scene.LoadMap(func(name string, most int64) ([]byte, error) {
		return regular.ReadFile(filepath.Join(s.Dir, name), most)
	}); err != nil {
		return nil, err
	}
	return scene.Task()
}

// bounds returns the sum of the shortest ways over cells, and the time of the longest of them.
func (s CrowdSpec) bounds(name string, n int) (sum, longest float64, err error) {
	task, err := s.task(name, n, 0)
	if err != nil {
		return 0, 0, err
	}
	l := task.Map.Cells
	if l == nil {
		return 0, 0, fmt.Errorf("%s: a map without cells", name)
	}
	for _, r := range task.Robots {
		moves := float64(shortestOverCells(task.Map, l, r))
		sum, longest = sum+moves, max(longest, moves)
	}
	return sum, longest / s.Speed, nil
}

// shortestOverCells returns the number of moves that a robot needs alone, 0 where it has no way.
func shortestOverCells(m *nav2d.Map, l *nav2d.Lattice, r nav2d.TaskRobot) int {
	cell := func(p geom.Vec2) int { i, j := l.Cell(p); return j*l.Columns + i }
	goal := cell(r.Goal)
	far := slices.Repeat([]int{-1}, l.Columns*l.Rows)
	from := cell(r.Start)
	far[from] = 0
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at == goal {
			return far[at]
		}
		for _, d := range [4][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
			i, j := at%l.Columns+d[0], at/l.Columns+d[1]
			if !l.Holds(i, j) || far[j*l.Columns+i] >= 0 {
				continue
			}
			if free, _ := m.Clearance(l.Center(i, j)); free >= r.Radius {
				far[j*l.Columns+i] = far[at] + 1
				queue = append(queue, j*l.Columns+i)
			}
		}
	}
	return 0
}

// meter measures processor time and the peak of memory, and calls a function when there is no time left.
type meter struct {
	begun time.Duration
	done  chan struct{}
	wait  sync.WaitGroup
	peak  uint64
	over  bool
}

// meterTick is how often memory is looked at.
const meterTick = 20 * time.Millisecond

func startMeter(limit time.Duration, over func()) *meter {
	debug.FreeOSMemory()
	m := &meter{begun: cputime.Process(), done: make(chan struct{})}
	m.wait.Go(func() {
		tick := time.NewTicker(meterTick)
		defer tick.Stop()
		for {
			m.peak = max(m.peak, ofTheSystem())
			if limit > 0 && cputime.Process()-m.begun > limit && !m.over {
				m.over = true
				over()
			}
			select {
			case <-m.done:
				return
			case <-tick.C:
			}
		}
	})
	return m
}

// stop returns seconds and MiB.
func (m *meter) stop() (processor, peak float64) {
	close(m.done)
	m.wait.Wait()
	return (cputime.Process() - m.begun).Seconds(), float64(max(m.peak, ofTheSystem())) / (1 << 20)
}

// ofTheSystem returns the bytes that the program has of the system and has not given back.
func ofTheSystem() uint64 {
	of := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(of)
	return of[0].Value.Uint64() - of[1].Value.Uint64()
}

// Makespan and Detour return how many times as long the team takes, and its ways are, as what both are at
// least; NaN where there is no plan.
func (r CrowdRow) Makespan() float64 { return r.over(r.Seconds, r.Least) }

// Detour is described at Makespan.
func (r CrowdRow) Detour() float64 { return r.over(r.Length, r.Shortest) }

func (r CrowdRow) over(is, least float64) float64 {
	if !r.Certified || least == 0 {
		return math.NaN()
	}
	return is / least
}
