package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/experiment/toy"
	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/terminal"
	"github.com/go-pcd/pcd/noise"
)

// doctorSummary is what "pcd doctor" prints.
type doctorSummary struct {
	Version string           `json:"version"`
	Machine manifest.Machine `json:"machine"`
	Kernel  string           `json:"kernel"`
	Peak    float64          `json:"peak_gflops"` // multiply-adds counted as two, on all cores
	Checks  []doctorCheck    `json:"checks"`
}

// doctorCheck is one self-test.
type doctorCheck struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

func newDoctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Show what the program uses of this machine, and test itself",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s := examine(cmd.Context())
			if asJSON {
				if err := printJSON(cmd.OutOrStdout(), s); err != nil {
					return err
				}
			} else if err := printDoctor(cmd.OutOrStdout(), s); err != nil {
				return err
			}
			if slices.ContainsFunc(s.Checks, func(c doctorCheck) bool { return !c.OK }) {
				return errors.New("a self-test failed; please report it with this output")
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

func examine(ctx context.Context) doctorSummary {
	m := manifest.ThisMachine()
	kind, _ := kernel.Selected()
	return doctorSummary{
		Version: manifest.Version(), Machine: m, Kernel: kind.String(), Peak: kernel.Peak(m.Cores),
		Checks: []doctorCheck{checkKernel(), checkNoise(), checkSampler(ctx)},
	}
}

// checkKernel reports an override that could not be honoured.
func checkKernel() doctorCheck {
	kind, err := kernel.Selected()
	if err != nil {
		return doctorCheck{Name: "kernel", Detail: err.Error()}
	}
	return doctorCheck{Name: "kernel", OK: true, Detail: fmt.Sprintf("%s kernels; %s overrides", kind, kernel.Variable)}
}

// checkNoise compares a few addressed normals with their frozen values.
func checkNoise() doctorCheck {
	got := make([]float32, 3)
	noise.New(3407).Normal(got, 3, noise.Address{Variable: 1, Sample: 17, Draw: 4})
	want := []float32{0.2466251, -1.3809869, 0.71998346}
	return doctorCheck{Name: "noise", OK: slices.Equal(got, want), Detail: fmt.Sprintf("%v, want %v", got, want)}
}

// checkSampler runs the toy example small and checks its certificate and shares.
func checkSampler(ctx context.Context) doctorCheck {
	c := doctorCheck{Name: "sampler"}
	p, err := toy.Run(ctx, toy.PCD, toy.Options{Pairs: 20000})
	if err != nil {
		c.Detail = err.Error()
		return c
	}
	s := toy.Summarise(p)
	c.OK = s.Certified && s.POut == 0 && math.Abs(s.POverlap-0.081) < 0.012
	c.Detail = fmt.Sprintf("toy example: certified %v, %.1f %% overlapping, want true and 8.1 %%", s.Certified, 100*s.POverlap)
	return c
}

func printDoctor(w io.Writer, s doctorSummary) error {
	printLine(w, "pcd %s on %s", s.Version, s.Machine)
	printLine(w, "%s kernels, %.0f GFLOP/s at the peak", s.Kernel, s.Peak)
	var t terminal.Fields
	for _, c := range s.Checks {
		verdict := "failed"
		if c.OK {
			verdict = "ok"
		}
		t.Add(c.Name, "%-6s  %s", verdict, c.Detail)
	}
	return printFields(w, &t)
}
