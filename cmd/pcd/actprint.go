package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/terminal"
	"github.com/go-pcd/pcd/policy"
)

// printAct prints what a policy did, as text or as JSON.
func printAct(w io.Writer, s *planner.ActSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	printLine(w, "%s: %s, %s, %s", quote.Lines(s.Policy), plural.Of(s.Observations, "observation"), plural.Of(s.Plans, "plan"), s.Dynamics)
	var t terminal.Fields
	t.Add("policy", "layout %s, %s, weights as %s", s.Vintage, plural.Of(s.Shape.Parameters, "parameter"), s.Shape.Stored)
	t.Add("limits", "%s", limitsVerdict(s))
	t.Add("first action", "%v", s.Actions[0])
	t.Add("last action", "%v", s.Actions[len(s.Actions)-1])
	t.Add("time", "load %.2f s, a plan %.3f s, longest wait for an action %.3f s", s.Seconds.Load, s.Seconds.Plan, s.Seconds.Longest)
	if err := printFields(w, &t); err != nil {
		return err
	}
	printWritten(w, s.Files...)
	return nil
}

// limitsVerdict says whether commands keep limits.
func limitsVerdict(s *planner.ActSummary) string {
	switch c := s.Certificate; {
	case c == nil:
		return "none: commands are what the policy says"
	case c.Certified:
		return fmt.Sprintf("certified: none of %s exceeds them", plural.Of(c.Commands, "command"))
	default:
		return fmt.Sprintf("exceeded: box by %.3g, speed by %.3g, acceleration by %.3g", c.Box, c.Speed, c.Acceleration)
	}
}

// inspectPolicy prints what the folder of a policy says and holds.
func inspectPolicy(w io.Writer, dir string, asJSON bool) error {
	d, err := policy.Inspect(dir)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(w, d)
	}
	printLine(w, "%s: diffusion policy of LeRobot, layout %s, %s", quote.Lines(d.Path), d.Vintage, plural.Of(d.Parameters, "parameter"))
	var t terminal.Fields
	for _, f := range d.Inputs {
		t.Add("told", "%s, %s", quote.Text(f.Key), shapeOf(f))
	}
	t.Add("says", "%s, %s", d.Action.Key, shapeOf(d.Action))
	t.Add("looks back on", "%s", plural.Of(d.ObservationSteps, "observation"))
	t.Add("plans", "%s, of which %d are executed", plural.Of(d.Horizon, "action"), d.ActionSteps)
	if d.Backbone != "" {
		t.Add("sees with", "%s", eyesOf(d))
	}
	t.Add("U-Net", "%s, levels of %v channels, told %s", plural.Of(d.UNet, "parameter"), d.DownDims, plural.Of(d.ConditionSize, "number"))
	predicts := "the noise"
	if d.Diffusion.Sample {
		predicts = "the actions"
	}
	t.Add("trained with", "%s, %s, predicts %s", d.Diffusion.Beta, plural.Of(d.Diffusion.Steps, "diffusion step"), predicts)
	t.Add("sampled with", "%s in %s", d.Diffusion.Scheduler, plural.Of(d.Diffusion.Inference, "step"))
	t.Add("weights", "%s, %s", plural.Of(d.Tensors, "tensor"), plural.Of(int(d.FileBytes), "byte"))
	return printFields(w, &t)
}

// shapeOf says what a feature is.
func shapeOf(f policy.Feature) string {
	if f.Type == policy.Visual && len(f.Shape) == 3 {
		return fmt.Sprintf("a picture of %d×%d pixels", f.Shape[2], f.Shape[1])
	}
	return plural.Of(f.Size(), "number")
}

// eyesOf says how a policy looks at pictures.
func eyesOf(d *policy.Description) string {
	words := []string{d.Backbone, "batch normalisation", plural.Of(d.Keypoints, "key point"), plural.Of(d.Encoders, "encoder")}
	if d.GroupNorm {
		words[1] = "group normalisation"
	}
	if d.Resize != [2]int{} {
		words = append(words, fmt.Sprintf("resized to %d×%d", d.Resize[1], d.Resize[0]))
	}
	if d.Crop != [2]int{} {
		words = append(words, fmt.Sprintf("the centre of %d×%d", d.Crop[1], d.Crop[0]))
	}
	return strings.Join(words, ", ")
}
