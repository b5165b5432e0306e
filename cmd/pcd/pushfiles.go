package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/pusht"
	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/metric"
	"github.com/go-pcd/pcd/push"
	"github.com/go-pcd/pcd/render"
)

// pushSummary is what "pcd push" prints, in both forms.
type pushSummary struct {
	Method      push.Method      `json:"method"`
	Limit       float64          `json:"vmax"` // at which CS is judged
	Gamma       float64          `json:"gamma"`
	Scale       push.Scale       `json:"gamma_scale,omitempty"`
	Init        string           `json:"init"`
	Pairs       int              `json:"pairs"`
	Seed        uint64           `json:"seed"`
	Preset      string           `json:"preset"`
	Metrics     pushMetrics      `json:"metrics"`
	Certificate push.Certificate `json:"certificate"`
	Seconds     push.Seconds     `json:"seconds"`
	Files       []string         `json:"files"`
}

// pushMetrics are the measures of the published tables, means over the pairs.
type pushMetrics struct {
	DTW float64    `json:"dtw"`
	DFD float64    `json:"dfd"`
	CS  [2]float64 `json:"cs"` // per member, a rate in [0, 1]
	TC  [2]float64 `json:"tc"` // per member, in [0, 1]
}

func summarisePush(init string, run push.Run, r *push.Result) (*pushSummary, error) {
	judged, err := r.Judge([]float64{run.VMax})
	if err != nil {
		return nil, err
	}
	m, err := metric.SummarisePushTSamples([][]metric.PushTSample{judged}, []float64{run.VMax})
	if err != nil {
		return nil, err
	}
	s := &pushSummary{
		Method: run.Method, Limit: run.VMax, Gamma: run.Gamma, Init: init, Pairs: len(r.Pairs), Seed: run.Seed, Preset: run.Settings.Name,
		Certificate: r.Certificate, Seconds: r.Seconds, Files: []string{},
		Metrics: pushMetrics{DTW: m.DTW.Mean, DFD: m.DFD.Mean},
	}
	if run.Method.Coupling() != push.Uncoupled {
		s.Scale = run.Settings.ScaleOf(run.Method)
	}
	for k := range 2 {
		s.Metrics.CS[k], s.Metrics.TC[k] = m.Limits[0].Member[k].Mean, m.Completion[k].Mean
	}
	return s, nil
}

func printPush(w io.Writer, s *pushSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	fmt.Fprintf(w, "PushT from %s: %d pairs, %s, speed limit %g, preset %s\n", s.Init, s.Pairs, s.Method, s.Limit, s.Preset)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if s.Scale != "" {
		fmt.Fprintf(t, "coupling strength\tγ = %g, as %s\n", s.Gamma, s.Scale)
	}
	m := s.Metrics
	fmt.Fprintf(t, "members apart\tDTW %.3f, Fréchet distance %.3f\n", m.DTW, m.DFD)
	fmt.Fprintf(t, "plans within the speed limit\t%.1f / %.1f %%, by member\n", 100*m.CS[0], 100*m.CS[1])
	fmt.Fprintf(t, "task completed\t%.3f / %.3f, by member\n", m.TC[0], m.TC[1])
	fmt.Fprintf(t, "speed certificate\t%s\n", pushVerdict(s))
	x := s.Seconds
	fmt.Fprintf(t, "time\t%.2f s: network %.2f, its derivative %.2f, coupling %.2f, projection %.2f, physics %.2f, other %.2f\n",
		x.Total, x.Network, x.VJP, x.Coupling, x.Projection, x.Physics, x.Other)
	if err := t.Flush(); err != nil {
		return err
	}
	for _, f := range s.Files {
		fmt.Fprintln(w, "wrote", f)
	}
	return nil
}

func pushVerdict(s *pushSummary) string {
	c := s.Certificate
	switch {
	case c.Certified:
		return fmt.Sprintf("certified for every plan; the fastest action stays %.2g below the limit", -c.MaxViolation)
	case !s.Method.Projected():
		return "none: the method keeps no limit"
	}
	return fmt.Sprintf("none: action %d of member %d of pair %d exceeds the limit by %.3g", c.Action, c.Member, c.Pair.Number, c.MaxViolation)
}

// pushSettings is what a manifest records of pairs.
type pushSettings struct {
	Options  push.Options  `json:"options"`
	Settings push.Settings `json:"settings"`
	Init     string        `json:"init"`
	Pairs    int           `json:"pairs"`
	Model    push.Card     `json:"model"`
}

// savePush writes the files of a run, when a directory was asked for.
func savePush(o pushOptions, s *pushSummary, m *push.Model, run push.Run, r *push.Result, invocation []string) error {
	if o.out == "" {
		return nil
	}
	out, err := openOutput(o.out, invocation, o.seed, pushSettings{run.Options, run.Settings, o.init, o.pairs, m.Card})
	if err != nil {
		return err
	}
	for _, name := range []string{"push.json", "runs.npz", "push.png", "push.html", "push.gif"} {
		if name != "push.gif" || o.gif {
			s.Files = append(s.Files, out.file(name))
		}
	}
	s.Files = append(s.Files, out.file(manifestName))
	return errors.Join(
		out.write("push.json", func(path string) error { return experiment.WriteJSON(path, s) }),
		out.write("runs.npz", func(path string) error { return saveRuns(path, r) }),
		savePushPictures(out, s, r, o.gif),
		out.close())
}

// savePushPictures writes the figure, the animated page and, if asked for, the GIF.
func savePushPictures(out *outputDir, s *pushSummary, r *push.Result, gif bool) error {
	v, err := pushView(s, r)
	if err != nil {
		return err
	}
	figure, err := render.Push(v)
	if err != nil {
		return err
	}
	animation, err := render.AnimatePush(v)
	if err != nil {
		return err
	}
	err = errors.Join(out.write("push.png", figure.Save), out.write("push.html", animation.Save))
	if gif {
		err = errors.Join(err, out.write("push.gif", animation.Save))
	}
	return err
}

// saveRuns writes states [member, pair, step+1, 5], actions [member, pair, step, 2]
// and rewards [member, pair, step] of the steps that were planned.
func saveRuns(path string, r *push.Result) error {
	rec, n := r.Recording, len(r.Pairs)
	actions, err1 := dataset.NewArray("actions", []int{2, n, rec.Steps, 2}, rec.Actions)
	states, err2 := dataset.NewArray("states", []int{2, n, rec.Steps + 1, 5}, rec.States)
	rewards, err3 := dataset.NewArray("rewards", []int{2, n, rec.Steps}, rec.Rewards)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	return dataset.WriteNPZ(path, actions, states, rewards)
}

// shownPairs is how many pairs an animated page holds at most.
const shownPairs = 20

// pushView returns what pictures show of pairs.
func pushView(s *pushSummary, r *push.Result) (render.PushView, error) {
	v := render.PushView{
		Title: fmt.Sprintf("PushT from %s: %s", s.Init, s.Method),
		Note:  fmt.Sprintf("DTW %.2f, Fréchet distance %.2f, completion %.2f / %.2f", s.Metrics.DTW, s.Metrics.DFD, s.Metrics.TC[0], s.Metrics.TC[1]),
		Size:  pusht.Size, Step: 1.0 / pusht.ActionsPerSecond, Block: pusht.Outline(), Radius: pusht.AgentRadius,
		Goal: render.PushPose{At: pusht.Goal.Position, Angle: pusht.Goal.Angle},
	}
	if s.Method.Projected() {
		v.Limit = s.Limit
	}
	judged, err := r.Judge([]float64{s.Limit})
	if err != nil {
		return v, err
	}
	for k, pair := range r.Trajectories() {
		if k == shownPairs {
			break
		}
		p := render.PushPairView{Name: fmt.Sprint("pair ", r.Pairs[k].Number)}
		for m := range p.Members {
			p.Members[m] = pushRunView(r.Recording, m*len(r.Pairs)+k, pair[m])
			p.Members[m].Facts = pushFacts(s, judged[k], m)
		}
		v.Pairs = append(v.Pairs, p)
	}
	return v, nil
}

// pushRunView returns an episode up to its end.
func pushRunView(rec *pusht.Recording, environment int, t metric.PushTTrajectory) (out render.PushRunView) {
	n := rec.Length[environment]
	out.Rewards, out.Speeds = t.Rewards[:n], metric.PushTSpeeds(t)[:n]
	for k := range n + 1 {
		state := pusht.StateOf([5]float64(rec.States[5*(environment*(rec.Steps+1)+k):]))
		out.Agent = append(out.Agent, state.Agent)
		out.Block = append(out.Block, render.PushPose{At: state.Block.Position, Angle: state.Block.Angle})
	}
	return out
}

// pushFacts says how good a run is.
func pushFacts(s *pushSummary, j metric.PushTSample, member int) []render.Fact {
	within := fmt.Sprintf("%.1f %% of the plans", 100*j.Within[0][member])
	done := fmt.Sprintf("%.3f", j.Completion[member])
	out := []render.Fact{
		fact("completed", j.Completion[member] >= 1, "entirely", done),
		fact("within the speed limit", j.Within[0][member] == 1, "every plan", within),
	}
	if s.Certificate.Certified {
		out = append(out, fact("speed limit", true, "certified for every plan", ""))
	}
	return out
}
