package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/plan"
)

// planOptions are the flags of "pcd plan".
type planOptions struct {
	robots      string
	radius      float64
	samples     int
	method      string
	limit       float64
	gamma       float64
	trial       int
	seed        uint64
	preset      string
	model       string
	workers     int
	searchLimit time.Duration
	memory      byteSize
	repair      bool
	separation  int
	prefer      string
	motion      string
	rate        float64
	formats     []string
	delivery
}

func newPlanCommand(invocation []string) *cobra.Command {
	var o planOptions
	c := &cobra.Command{
		Use:   "plan [MAP|SCENE.yaml]",
		Short: "Plan coordinated trajectories for several robots",
		Long: `Samples trajectories for several robots jointly from models of a single robot, so
that they keep apart, avoid obstacles and keep hard speed limits. The best few are
repaired until one is certified in continuous time. The task is a published map (` + strings.Join(nav2d.MapNames(), ", ") + `),
with a published trial or one drawn from --seed, or a scene of your own: a YAML file
with bounds, obstacles and robots, which may name the map that your robots use (ROS,
Open-RMF, GeoJSON, MovingAI) and a table of the team.

The methods are ` + joinMethods() + `.
The presets are default (goals are held, plans are repaired and certified), paper (the
published method with exact projections) and mmd (the reference implementation step by
step). Nothing is repaired under the last two unless --repair says so. A plan that is
not certified in continuous time ends with exit code 10 and a reason. Hard scenes are
searched for minutes, and the terminal says what is tried; --search-limit ends that.

With -o the directory receives all samples (samples.npz), the summary with the plan,
its certificate and the proof of it (plan.json), a figure, an animated page and a manifest,
and of a plan on curves a table of where every robot is when (motion.csv).

` + exitCodeHelp,
		Example: "  pcd plan highways -o out/plan\n  pcd plan conveyor --robots 2 --method diffuser --trial 7\n  pcd plan examples/warehouse.yaml -o out/warehouse",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := o.request(cmd.Flags(), args)
			if err != nil {
				return err
			}
			confine(&request)
			return deliver(cmd, o.delivery, invocation, &planner.PlanTask{Request: request, GIF: o.gif}, printPlan)
		},
	}
	f := c.Flags()
	o.addTo(f, "default")
	f.StringVar(&o.method, "method", string(plan.PCDSHD), "how to plan")
	number(f, &o.gamma, planner.PlanGamma)
	f.BoolVar(&o.repair, "repair", false, "repair the best samples until they are certified in continuous time (default: as the preset says)")
	number(f, &o.separation, planner.PlanSeparation)
	f.StringVar(&o.motion, "motion", "", "along the waypoints: curve, smooth and within all limits at every instant, or polyline, straight from one to the next (default: as the scene says, or curve; polyline for the published presets and methods that search)")
	number(f, &o.rate, planner.PlanRate)
	f.StringSliceVar(&o.formats, "format", nil, "files for robots beside a certified plan: csv, ros, mcap, vda5050, vda5050-2.1, several with commas; see pcd export")
	f.StringVar(&o.prefer, "prefer", string(plan.PreferPattern), "of several safe plans: pattern, length, clearance, or time: robots arrive as early as repairs find")
	o.delivery.addTo(f, "samples")
	return c
}

// addTo adds the flags that say what to plan.
func (o *planOptions) addTo(f *pflag.FlagSet, preset string) {
	n := planner.PlanRobots
	f.StringVar(&o.robots, n.Name, strconv.Itoa(int(n.Default)), n.Help+"; or a table (CSV) of further robots of a scene")
	number(f, &o.radius, planner.PlanRadius)
	number(f, &o.samples, planner.PlanSamples)
	number(f, &o.limit, planner.PlanLimit)
	number(f, &o.trial, planner.PlanTrial)
	f.Uint64Var(&o.seed, "seed", 0, "seed of the random field; for a published map it also draws a new trial")
	f.StringVar(&o.preset, "preset", preset, "default, paper or mmd")
	f.StringVar(&o.model, "model", "", "model file, or folder of a training or of a published model (default: that of the map)")
	number(f, &o.workers, settings.Workers)
	f.DurationVar(&o.searchLimit, "search-limit", 0, "time after which the search for a plan ends: with the best that is certified by then, or a refusal that says what was tried (default: 1m for methods that search, else none)")
	f.Var(&o.memory, "memory", "memory that searches for new ways may take, such as 2GiB; one that would take more ends, and the next one runs (default: a quarter of the machine's)")
}

func joinMethods() string { return strings.Join(wordsOf(plan.Methods()), ", ") }

// request returns the request that the flags and the argument make. Flags that were
// not given are left to the task.
func (o planOptions) request(f *pflag.FlagSet, args []string) (planner.PlanRequest, error) {
	r := planner.PlanRequest{
		Task: planner.DefaultTask, Method: o.method, Preset: o.preset, Model: o.model, Workers: o.workers,
		Radius: given(f, "radius", o.radius), Trial: given(f, "trial", o.trial), Seed: given(f, "seed", o.seed),
		Samples: given(f, "samples", o.samples), Limit: given(f, "vmax", o.limit), Gamma: given(f, "gamma", o.gamma),
		SearchLimit: given(f, "search-limit", o.searchLimit), Repair: given(f, "repair", o.repair),
		SeparationSteps: given(f, "separation-steps", o.separation), Prefer: o.prefer, Motion: o.motion, Rate: given(f, "rate", o.rate), Formats: o.formats, Memory: given(f, "memory", int64(o.memory)),
	}
	if f.Changed("robots") {
		if err := o.setRobots(&r); err != nil {
			return r, err
		}
	}
	if len(args) == 0 {
		return r, nil
	}
	if r.Task = args[0]; r.Task == "" {
		return r, usageError{errors.New("the name of the task is empty, want a map or the file of a scene")}
	}
	var err error
	if r.Scene, err = sceneOf(args[0]); r.Scene != nil {
		r.Files = filesBeside(args[0])
	}
	return r, err
}

// setRobots sets the number of robots, or the table of them.
func (o planOptions) setRobots(r *planner.PlanRequest) error {
	n, err := strconv.Atoi(o.robots)
	if err == nil {
		r.Robots = &n
		return nil
	}
	if _, statErr := os.Stat(o.robots); statErr != nil && !strings.Contains(o.robots, ".") {
		return usageError{fmt.Errorf("--robots is %.40q, want a number, or a table (CSV) of robots", o.robots)}
	}
	data, err := regular.ReadFile(o.robots, nav2d.MaxSceneBytes)
	if err != nil {
		return err
	}
	r.Table = new(string(data))
	return nil
}

// filesBeside opens the files that a scene names, by their paths from the scene's folder.
func filesBeside(scene string) nav2d.Files {
	return func(name string, most int64) ([]byte, error) {
		file := filepath.FromSlash(name)
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(scene), file)
		}
		return regular.ReadFile(file, most)
	}
}

// sceneOf returns the text of a scene file, nil for the name of a map. A name that is
// neither is left to the check of the request.
func sceneOf(task string) (*string, error) {
	if _, err := nav2d.MapByName(task); err == nil {
		return nil, nil
	}
	_, err := os.Stat(task)
	if err != nil && !strings.HasSuffix(task, ".yaml") && !strings.HasSuffix(task, ".yml") {
		return nil, nil
	}
	text, err := readScene(task)
	return &text, err
}

// readScene reads a scene file, no more of it than a scene can have.
func readScene(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", usageError{fmt.Errorf("%s is a folder, want a map or the file of a scene", path)}
	}
	f, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, nav2d.MaxSceneBytes+1))
	return string(text), err
}
