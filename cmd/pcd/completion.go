package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/experiment/attributes"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/policy"
)

// vocabulary lists the words that flags of some commands take.
type vocabulary struct {
	commands string // words of their paths
	flags    map[string][]string
}

// vocabularies are tried in order: the first of which a word is in the path of a command
// counts.
func vocabularies() []vocabulary {
	presets := []string{"default", "paper", "mmd"}
	plans := wordsOf(plan.Methods())
	return []vocabulary{
		{"toy", map[string][]string{"method": {"conditional", "coupled", "pcd", "pd", "cg", "all"}}},
		{"push pusht", map[string][]string{"method": wordsOf(push.Methods()), "preset": push.PresetNames(), "sampler": push.Samplers(), "samplers": push.Samplers()}},
		{"train-classifier", map[string][]string{"part": attributes.Names()}},
		{"act", map[string][]string{"scheduler": policy.Schedulers()}},
		{"pair images image", map[string][]string{"method": wordsOf(pair.Methods()), "sampler": {"ddpm", "ddim"}}},
		{"plan nav2d replan safe teams methods runtime", map[string][]string{
			"method": plans, "samplers": plan.Samplers(), "preset": presets, "map": nav2d.MapNames(), "prefer": {"pattern", "length", "clearance", "time"},
		}},
	}
}

func wordsOf[S ~string](all []S) (out []string) {
	for _, s := range all {
		out = append(out, string(s))
	}
	return out
}

// addCompletions lets shells complete the values of flags, and the names of maps, below a
// command.
func addCompletions(root *cobra.Command) { complete(root, vocabularies()) }

func complete(root *cobra.Command, known []vocabulary) {
	for _, c := range root.Commands() {
		complete(c, known)
	}
	path := strings.Fields(root.CommandPath())
	for _, v := range known {
		if !anyWord(path, v.commands) {
			continue
		}
		root.Flags().VisitAll(func(f *pflag.Flag) {
			if words := v.flags[strings.TrimSuffix(f.Name, "s")]; words != nil {
				_ = root.RegisterFlagCompletionFunc(f.Name, completeList(words)) // fails for one that has it
			}
		})
		break
	}
	if strings.Contains(root.Use, "MAP") {
		root.ValidArgsFunction = completeMap
	}
}

func anyWord(path []string, words string) bool {
	for word := range strings.FieldsSeq(words) {
		if slices.Contains(path, word) {
			return true
		}
	}
	return false
}

// completeList completes the last of words with commas between them.
func completeList(words []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		before := begun[:strings.LastIndex(begun, ",")+1]
		var out []string
		for _, word := range words {
			if strings.HasPrefix(before+word, begun) {
				out = append(out, before+word)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeMap completes the first argument to a map, or to a file.
func completeMap(_ *cobra.Command, args []string, begun string) (out []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	for _, name := range nav2d.MapNames() {
		if strings.HasPrefix(name, begun) {
			out = append(out, name)
		}
	}
	return out, cobra.ShellCompDirectiveDefault
}
