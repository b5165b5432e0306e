package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/env/pusht"
	"github.com/go-pcd/pcd/push"
)

// pushOptions are the flags of "pcd push".
type pushOptions struct {
	method   string
	limit    float64
	gamma    float64
	hasGamma bool
	init     string
	pairs    int
	steps    int
	adjacent bool
	seed     uint64
	preset   string
	model    string
	workers  int
	json     bool
	gif      bool
	out      string
}

func newPushCommand(invocation []string) *cobra.Command {
	var o pushOptions
	c := &cobra.Command{
		Use:   "push",
		Short: "Push a block to its goal in pairs of distinct ways, within a speed limit",
		Long: `Runs pairs of PushT episodes from one initial condition. Both members of a pair use
one policy; a coupling drives their plans apart, and a projection keeps every plan
within the speed limit.

The methods are ` + joinPushMethods() + `;
ps judges the coupling on the estimate of the clean actions. The presets are
` + strings.Join(push.PresetNames(), ", ") + `: they name the convention of gamma, among
others, and the strength that a method gets unless --gamma says otherwise.

--init is the number of a published initial condition, from 0 to 49, or a state of
your own: agent x, agent y, block x, block y in pixels and the angle in radians.

With -o the directory receives what happened (runs.npz), the summary (push.json), a
figure, an animated page and a manifest.

` + exitCodeHelp,
		Example: "  pcd push -o out/push\n  pcd push --method cd-dpp --init 7 --pairs 5\n  pcd push --init 100,400,256,200,0.5 --vmax 6.2",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.hasGamma = cmd.Flags().Changed("gamma")
			s, err := runPush(cmd.Context(), o, invocation, cmd.ErrOrStderr())
			if s != nil {
				err = errors.Join(err, printPush(cmd.OutOrStdout(), s, o.json))
			}
			return err
		},
	}
	f := c.Flags()
	f.StringVar(&o.method, "method", string(push.PCDLBPS), "how to sample")
	f.Float64Var(&o.limit, "vmax", 8.4, "speed limit in normalised units per hundredth of a second")
	f.Float64Var(&o.gamma, "gamma", 0, "coupling strength (default: that of the preset)")
	f.StringVar(&o.init, "init", "0", "initial condition")
	f.IntVar(&o.pairs, "pairs", 1, "pairs of runs")
	f.IntVar(&o.steps, "sampling-steps", 0, "diffusion steps (default: those of the model)")
	f.BoolVar(&o.adjacent, "adjacent", false, "respace with the slip of the library that the reference code uses")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the noise")
	f.StringVar(&o.preset, "preset", "default", strings.Join(push.PresetNames(), ", "))
	f.StringVar(&o.model, "model", "", "model file (default: the one that ships)")
	f.IntVar(&o.workers, "workers", 0, "goroutines (default: one per processor)")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	f.BoolVar(&o.gif, "gif", false, "also write an animated GIF")
	f.StringVarP(&o.out, "output", "o", "", "directory for runs, summary, figure and animation")
	return c
}

func joinPushMethods() string { return strings.Join(pushMethodNames(push.Methods()), ", ") }

func pushMethodNames(methods []push.Method) []string {
	var names []string
	for _, m := range methods {
		names = append(names, string(m))
	}
	return names
}

// loadPolicy opens a model file, or the policy that ships when path is empty.
func loadPolicy(path string) (*push.Model, error) {
	if path == "" {
		return push.Bundled()
	}
	return push.OpenModel(path)
}

func runPush(ctx context.Context, o pushOptions, invocation []string, stderr io.Writer) (*pushSummary, error) {
	run, err := o.run(stderr)
	if err != nil {
		return nil, usageError{err}
	}
	condition, state, err := parseInit(o.init)
	if err != nil {
		return nil, usageError{err}
	}
	m, err := loadPolicy(o.model)
	if err != nil {
		return nil, err
	}
	result, err := push.Do(ctx, m, push.Starts(condition, state, o.pairs), run)
	if result == nil {
		return nil, pushUsage(err)
	}
	if result.Recording.Chunks == 0 {
		return nil, err // nothing was done yet
	}
	s, e := summarisePush(o.init, run, result)
	if e != nil {
		return nil, errors.Join(err, e)
	}
	err = errors.Join(err, savePush(o, s, m, run, result, invocation))
	if c := result.Certificate; err == nil && run.Method.Projected() && !run.Settings.PublishedProjection && !run.Settings.SkipProjection && !c.Certified {
		err = &pcd.UncertifiedError{Set: fmt.Sprintf("member %d", c.Member), Sample: c.Pair.Number, Violation: c.MaxViolation}
	}
	return s, err
}

// pushUsage marks what the caller got wrong.
func pushUsage(err error) error {
	var option *push.OptionError
	var state *pusht.StateError
	if errors.As(err, &option) || errors.As(err, &state) {
		return usageError{err}
	}
	return err
}

// run returns the run that the flags ask for.
func (o pushOptions) run(stderr io.Writer) (push.Run, error) {
	method, err := push.ParseMethod(o.method)
	if err != nil {
		return push.Run{}, err
	}
	settings, err := push.SettingsByName(o.preset)
	if err != nil {
		return push.Run{}, err
	}
	switch {
	case o.pairs < 1:
		return push.Run{}, fmt.Errorf("--pairs is %d, want at least 1", o.pairs)
	case !(o.limit > 0) || math.IsInf(o.limit, 0):
		return push.Run{}, fmt.Errorf("--vmax is %v, want a positive number", o.limit)
	case o.hasGamma && method.Coupling() == push.Uncoupled:
		return push.Run{}, fmt.Errorf("--gamma %v has no effect on %s, which does not couple", o.gamma, method)
	}
	gamma := o.gamma
	if !o.hasGamma {
		gamma = settings.Gamma(method)
	}
	return push.Run{
		Options: push.Options{
			Method: method, Gamma: gamma, VMax: o.limit, Settings: settings, Seed: o.seed, Workers: o.workers,
			Respacing: push.Respacing{Steps: o.steps, Adjacent: o.adjacent},
		},
		Progress: newProgress(stderr, "plans"),
	}, nil
}

// ownCondition is the number that the noise of a state of the user's own has.
const ownCondition = 1 << 30

// parseInit reads the number of a published initial condition or a state.
func parseInit(text string) (condition int, s pusht.State, err error) {
	words := strings.Split(text, ",")
	if len(words) == 1 {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 0 || n >= pusht.Conditions {
			return 0, s, fmt.Errorf("--init is %q, want a number from 0 to %d or five numbers with commas", text, pusht.Conditions-1)
		}
		return n, pusht.InitialConditions(n+1, pusht.ConditionSeed)[n], nil
	}
	var a [5]float64
	if len(words) != len(a) {
		return 0, s, fmt.Errorf("--init has %d numbers, want five: agent x, agent y, block x, block y, block angle", len(words))
	}
	for i, w := range words {
		if a[i], err = strconv.ParseFloat(strings.TrimSpace(w), 64); err != nil {
			return 0, s, fmt.Errorf("--init: %q is not a number", w)
		}
	}
	return ownCondition, pusht.StateOf(a), nil
}
