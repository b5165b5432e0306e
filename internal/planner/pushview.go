package planner

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/env/pusht"
	pushmetric "github.com/go-pcd/pcd/internal/metric/pusht"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/internal/render"
)

// pushPictures are the pictures of pairs.
type pushPictures struct {
	result  *push.Result
	summary *PushSummary
}

// Figure implements [Pictures].
func (p pushPictures) Figure() (*render.Figure, error) {
	v, err := pushView(p.summary, p.result)
	if err != nil {
		return nil, err
	}
	return render.Push(v)
}

// Animation implements [Pictures].
func (p pushPictures) Animation() (*render.Animation, error) {
	v, err := pushView(p.summary, p.result)
	if err != nil {
		return nil, err
	}
	return render.AnimatePush(v)
}

// shownPairs is how many pairs an animated page holds at most.
const shownPairs = 20

// pushView returns what pictures show of pairs.
func pushView(s *PushSummary, r *push.Result) (render.PushView, error) {
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
func pushRunView(rec *pusht.Recording, environment int, t pushmetric.Trajectory) (out render.PushRunView) {
	n := rec.Length[environment]
	out.Rewards, out.Speeds = t.Rewards[:n], pushmetric.Speeds(t)[:n]
	for k := range n + 1 {
		state := pusht.StateOf([5]float64(rec.States[5*(environment*(rec.Steps+1)+k):]))
		out.Agent = append(out.Agent, state.Agent)
		out.Block = append(out.Block, render.PushPose{At: state.Block.Position, Angle: state.Block.Angle})
	}
	return out
}

// pushFacts says how good a run is.
func pushFacts(s *PushSummary, j pushmetric.Sample, member int) []render.Fact {
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
