package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/jobs"
)

// jobVerbs are the commands that a service runs as jobs, and those beneath them. They write
// to the folder that they are given and read what their words name.
var jobVerbs = []string{"plan", "push", "pair", "toy", "eval", "train", "data gen", "judge", "table", "image generate", "image assemble"}

// jobFlags are the flags that a job may not have: the service says where results go, and
// inputs stay as they are.
var jobFlags = []string{"output", "pack", "help"}

// The most that a command of a job may have.
const (
	mostWords     = 200
	mostWordBytes = 4096
)

// checkJob refuses commands that are not those of jobs, and returns the words that a service
// runs for one.
func checkJob(words []string) ([]string, error) {
	if err := checkWords(words); err != nil {
		return nil, err
	}
	c, rest, err := newRoot(words).Find(words)
	if err != nil {
		return nil, jobError(words, err.Error())
	}
	verb := strings.TrimPrefix(c.CommandPath(), "pcd ")
	if !c.Runnable() || c.HasSubCommands() || !slices.ContainsFunc(jobVerbs, func(v string) bool { return verb == v || strings.HasPrefix(verb, v+" ") }) {
		return nil, jobError(words, "want one of "+strings.Join(jobVerbs, ", ")+", with what follows it")
	}
	if err := c.ParseFlags(rest); errors.Is(err, pflag.ErrHelp) {
		return nil, jobError(words, "and a job has no --help: it is printed where the program is")
	} else if err != nil {
		return nil, jobError(words, strings.TrimPrefix(message(err), "pcd: "))
	}
	if err := c.ValidateArgs(c.Flags().Args()); err != nil {
		return nil, jobError(words, strings.TrimPrefix(message(err), "pcd: "))
	}
	if err := checkNumbers(c); err != nil {
		return nil, jobError(words, strings.TrimPrefix(message(err), "pcd: "))
	}
	if err := checkJobFlags(c, words); err != nil {
		return nil, err
	}
	return completeJob(c, words), nil
}

// checkWords refuses words that could name files outside the folder of a job.
func checkWords(words []string) error {
	if len(words) == 0 || len(words) > mostWords {
		return jobError(words, fmt.Sprintf("with %d words, want 1 to %d", len(words), mostWords))
	}
	for _, w := range words {
		if len(w) > mostWordBytes || w == "--" || w == "-" {
			return &jobs.SpecError{Field: "command", Value: fmt.Sprintf("%.40s", w), Reason: "want words of at most 4096 bytes, and neither - nor --"}
		}
		if err := jobs.CheckWord(w); err != nil {
			return err
		}
	}
	return nil
}

// checkJobFlags looks at the flags as the command reads them.
func checkJobFlags(c *cobra.Command, words []string) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if e := jobs.CheckWord(v); e != nil {
				err = e
			}
		}
		if slices.Contains(jobFlags, f.Name) {
			err = jobError(words, fmt.Sprintf("and a job has no --%s: the service says where its results go", f.Name))
		}
	})
	return err
}

// completeJob adds where the results go, and asks for the summary as machines read it.
func completeJob(c *cobra.Command, words []string) []string {
	words = slices.Clone(words)
	if c.Flags().Lookup("output") != nil {
		words = append(words, "-o", jobs.OutName)
	}
	if f := c.Flags().Lookup("json"); f != nil && !f.Changed {
		words = append(words, "--json")
	}
	return words
}

func jobError(words []string, reason string) error {
	return &jobs.SpecError{Field: "command", Value: strings.Join(words[:min(len(words), 20)], " "), Reason: reason}
}
