package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/atomicfile"
	nav2dexp "github.com/go-pcd/pcd/internal/experiment/nav2d"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/internal/render"
	"github.com/go-pcd/pcd/plan"
)

func newPlotMethodsCommand() *cobra.Command {
	var o planOptions
	methods := namesOf(nav2dexp.PublishedSpec().Methods)
	var animate string
	c := &cobra.Command{
		Use:     "methods [MAP|SCENE.yaml]",
		Short:   "Plan one task with several methods and draw the results as panels",
		Example: "  pcd plot nav2d methods highways --robots 4 --trial 3 -o methods.png\n  pcd plot nav2d methods conveyor --methods diffuser,pcd-shd \\\n    --animation both.html",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkPictures(o.out, animate); err != nil {
				return err
			}
			request, err := o.request(cmd.Flags(), args)
			if err != nil {
				return err
			}
			views, err := planWithMethods(cmd.Context(), request, methods, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			f, err := render.Plans(panelColumns(len(views)), views...)
			if err != nil {
				return err
			}
			outputs := []atomicfile.Output{{Path: o.out, Save: f.Save}}
			if animate != "" {
				a, err := render.Animate(views...)
				if err != nil {
					return err
				}
				outputs = append(outputs, atomicfile.Output{Path: animate, Save: a.Save})
			}
			return savePictures(cmd.OutOrStdout(), outputs...)
		},
	}
	f := c.Flags()
	o.addTo(f, "paper")
	f.StringSliceVar(&methods, "methods", methods, "methods")
	f.StringVar(&animate, "animation", "", "also write the methods side by side as an animated page (.html) or .gif")
	figureFlag(c, &o.out, "methods.png")
	return c
}

// checkPictures checks the names of a figure and of an animation, which may be "".
func checkPictures(figure, animation string) error {
	err := checkPicture(figure, render.CheckFigurePath)
	if err == nil && animation != "" {
		err = checkPicture(animation, render.CheckAnimationPath)
	}
	return err
}

// panelColumns returns how many panels go side by side.
func panelColumns(n int) int { return min(n, 4) }

// planWithMethods plans a task with every method and returns the first joint
// sample of each: not the best one, which would hide how often a method fails.
func planWithMethods(ctx context.Context, request planner.PlanRequest, methods []string, stderr io.Writer) ([]render.PlanView, error) {
	var views []render.PlanView
	for _, request.Method = range methods {
		task, err := request.Check()
		if err != nil {
			return nil, err
		}
		options := task.Options
		options.Progress = newProgress(stderr, "sampling")
		r, err := plan.Run(ctx, task.Team, options)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", request.Method, err)
		}
		if len(r.Samples) == 0 {
			fmt.Fprintf(stderr, "%s: %v\n", request.Method, r.Refusal)
			continue
		}
		s, err := task.Summarise(ctx, r)
		if err != nil {
			return nil, err
		}
		m := s.Samples.Metrics
		v := planner.SampleView(task.Team, r, 0)
		v.Title = request.Method
		v.Note = fmt.Sprintf("RS %.2f, obstacle-safe %.2f, CS %s %%", m.RS, m.ObstacleSafe, percentages(m.CS))
		views = append(views, v)
	}
	if len(views) == 0 {
		return nil, fmt.Errorf("none of %s gave a result", strings.Join(methods, ", "))
	}
	return views, nil
}

// maxRows bounds the file of the rows that a figure shows.
const maxRows = 16 << 20

func newPlotRuntimeCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "runtime FILE",
		Short: "Time against the number of robots, from \"pcd bench plan --json\"",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkPicture(out, render.CheckFigurePath); err != nil {
				return err
			}
			data, err := regular.ReadFile(args[0], maxRows)
			if err != nil {
				return err
			}
			var s benchPlanSummary
			if err := json.Unmarshal(data, &s); err != nil {
				return usageError{fmt.Errorf("%s is not the output of \"pcd bench plan --json\": %w", args[0], err)}
			}
			if len(s.Rows) == 0 {
				return usageError{fmt.Errorf("%s holds no rows", args[0])}
			}
			return saveFigure(cmd.OutOrStdout(), runtimeFigure(s), out)
		},
	}
	figureFlag(c, &out, "runtime.png")
	return c
}

// runtimeFigure shows the time of the methods, and where that of the last goes.
func runtimeFigure(s benchPlanSummary) *render.Figure {
	totals := map[plan.Method]*render.Curve{}
	var order []plan.Method
	for _, r := range s.Rows {
		if totals[r.Method] == nil {
			totals[r.Method] = &render.Curve{Name: string(r.Method)}
			order = append(order, r.Method)
		}
		c := totals[r.Method]
		c.X, c.Y = append(c.X, float64(r.Robots)), append(c.Y, r.Seconds.Total)
	}
	var lines []render.Curve
	for _, m := range order {
		lines = append(lines, *totals[m])
	}
	last := order[len(order)-1]
	parts := []render.Curve{{Name: "model"}, {Name: "coupling"}, {Name: "projection"}, {Name: "other"}}
	for _, r := range s.Rows {
		if r.Method != last {
			continue
		}
		for i, v := range []float64{r.Seconds.Model, r.Seconds.Coupling, r.Seconds.Projection, r.Seconds.Other} {
			if v > 0 {
				parts[i].X, parts[i].Y = append(parts[i].X, float64(r.Robots)), append(parts[i].Y, v)
			}
		}
	}
	return render.CurveGrid(2, []render.Axes{
		{Title: plural.Of(s.Spec.Samples, "joint sample"), X: "robots", Y: "seconds", LogX: true, LogY: true},
		{Title: "parts of " + string(last), X: "robots", Y: "seconds", LogX: true, LogY: true},
	}, [][]render.Curve{lines, slices.DeleteFunc(parts, func(c render.Curve) bool { return len(c.X) == 0 })})
}
