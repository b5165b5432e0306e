package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/paths"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/internal/settings"
)

// judgeOptions are the flags of "pcd judge".
type judgeOptions struct {
	robots   string
	motion   string
	radius   float64
	limit    float64
	anywhere bool
	delivery
}

func newJudgeCommand(invocation []string) *cobra.Command {
	var o judgeOptions
	c := &cobra.Command{
		Use:   "judge MAP|SCENE.yaml PATHS…",
		Short: "Judge paths from anywhere: a certificate with its proof, or every contact",
		Long: `Judges timed paths of robots, whoever planned them, at every instant: whether robots
keep apart from each other, from traffic and from obstacles, stay within the workspace
and within their limits, and start and end where the scene says. What is certified is
proven; else every contact is listed: who, from when to when, where, and how deep.

PATHS are files, together one path for each robot of the scene, by its name:

  plan.json               of this program, or the folder of a plan
  tables (CSV)            t, robot, x, y, and perhaps vx, vy, ax, ay
  ROS 2 messages (YAML)   nav_msgs/Path with stamps, one robot a file;
                          trajectory_msgs/MultiDOFJointTrajectory
  VDA 5050 states (JSON)  intermediatePath, with times
  VDA 5050 orders (JSON)  ways without times, which have to be apart
  TUM trajectories        one robot a file
  path finding (MAPF)     t:(x,y),(x,y),… on a grid map

Paths are straight from point to point or, where velocities are given, on the cubics
through positions and velocities. Robots stand before their first point and after
their last one.

With -o the directory receives the judgement (judge.json) and a manifest.

` + exitCodeHelp,
		Example: "  pcd judge scene.yaml out/plan/plan.json\n  pcd judge scene.yaml out/plan/motion.csv --json\n  pcd judge hall.yaml amr_1.yaml amr_2.yaml --radius 0.4 --anywhere",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := o.request(cmd, args)
			if err != nil {
				return err
			}
			return deliver(cmd, o.delivery, invocation, &planner.JudgeTask{Request: request}, printJudgement)
		},
	}
	f := c.Flags()
	f.StringVar(&o.robots, "robots", "", "file (CSV) of further robots of the scene")
	f.StringVar(&o.motion, "motion", "", "polyline is straight from point to point, though the files give velocities (default: as the files say)")
	number(f, &o.radius, planner.JudgeRadius)
	number(f, &o.limit, settings.Limit.With(0, "speed limit in the units of the scene, whose stricter ones stay (default: those of the scene)"))
	f.BoolVar(&o.anywhere, "anywhere", false, "leave open where robots start and end")
	f.BoolVar(&o.json, "json", false, "print the judgement as JSON")
	f.StringVarP(&o.out, "output", "o", "", "directory for judgement and manifest")
	return c
}

// request returns the request that the flags and the arguments make.
func (o judgeOptions) request(cmd *cobra.Command, args []string) (planner.JudgeRequest, error) {
	f := cmd.Flags()
	r := planner.JudgeRequest{
		Task: args[0], Motion: o.motion, Radius: given(f, "radius", o.radius), Limit: given(f, "vmax", o.limit), Anywhere: o.anywhere,
	}
	var err error
	if r.Scene, err = sceneOf(args[0]); err != nil {
		return r, err
	}
	if r.Scene != nil {
		r.Files = filesBeside(args[0])
	}
	if o.robots != "" {
		data, err := regular.ReadFile(o.robots, paths.MaxBytes)
		if err != nil {
			return r, err
		}
		r.Table = new(string(data))
	}
	for _, name := range args[1:] {
		if name, err = ofFolder(name); err != nil {
			return r, err
		}
		data, err := regular.ReadFile(name, paths.MaxBytes)
		if err != nil {
			return r, fmt.Errorf("paths: %w", err)
		}
		r.Paths = append(r.Paths, planner.PathFile{Name: name, Data: data})
	}
	return r, nil
}

// ofFolder returns the file of paths of a folder, which is that of a plan, and the name of anything else as it is. Of the folder
// of an export it says which file is judged.
func ofFolder(name string) (string, error) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return name, nil
	}
	folder := strings.TrimSuffix(name, "/")
	_, missing := os.Stat(folder + "/plan.json")
	if _, err := os.Stat(folder + "/motion.csv"); errors.Is(missing, fs.ErrNotExist) && err == nil {
		return "", fmt.Errorf("paths: %s is not the folder of a plan: judge %s/motion.csv in it: %w", name, folder, missing)
	}
	return folder + "/plan.json", nil
}
