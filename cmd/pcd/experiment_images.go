package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/experiment/images"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/settings"
)

func imagesEntry() experimentEntry {
	return experimentEntry{
		name:  "images",
		short: "Pairs of images: methods × exemplars × strengths × noises × seeds",
		long: `At most the seed in progress is lost. Asking for more seeds goes on from those that are
done. The default are the published tables, with ten seeds in the place of one.

Without the files of the published networks, the measures of their names are taken by
the judge of the model: a classifier of pictures that shares no data with the one that
couples. Tables say which it was.`,
		example: `  pcd eval images -o results/images
  pcd eval images --methods pcd --gammas 12.5,37.5,62.5,87.5,112.5,125 \
    -o results/images-gamma
  pcd eval images --methods sd-p --noise-scales 1,2,5,10,20 \
    -o results/images-noise
  pcd eval images --methods pcd,sd-p --exemplars 2 \
    --first-seed 1000 --seeds 2 --noise-scales 2,4,8 -o results/images-search
  pcd eval images --methods sd,sd-p,pcd --same a -o results/images`,
		table: "The tables of image pairs",
		tableLong: `For every method: ours with 95 % intervals, the published row, and the difference where the
numbers can be compared. XOR is the share of pairs of which exactly one image is of
somebody old, M / F the mean probability of a man and of a woman, both by a judge. SE
columns compare samples with the exemplars: by CLIP (mean over exemplars), LPIPS (the
least) and FID (of the set). IS-LPIPS compares the samples of a seed with each other.
The spread of λ is that of the weights in the hull: 0 when all images are the same. Two
numbers are those of the man and of the woman, ± the deviation over samples.

Below them: every published ordering as a difference of rows, with its interval, and
where the time of a step goes.`,
		plot: "Strengths, noises, weights, scores along a chord, strips",
		plots: func() []*cobra.Command {
			return []*cobra.Command{newPlotStripsCommand(), newPlotScoresCommand(), newPlotRatioCommand()}
		},
		results: images.New(nil),
		eval:    evalImages, allCores: true,
		train: imagesTraining(), data: dataEntry{subjects: []string{"images"}, gen: newDataGenImagesCommand},
	}
}

// pairSource are the flags that say what pairs are drawn from.
type pairSource struct {
	model     string
	exemplars [2][]string
}

// addTo adds the flags.
func (s *pairSource) addTo(f *pflag.FlagSet) {
	f.StringVar(&s.model, "model", "", "folder of the model (default: the one that ships)")
	f.StringSliceVar(&s.exemplars[0], "exemplars-a", nil, "PNG or JPEG files of the first image's exemplars (default: those that the program draws)")
	f.StringSliceVar(&s.exemplars[1], "exemplars-b", nil, "PNG or JPEG files of the second image's")
}

// open opens the model and reads the exemplars.
func (s *pairSource) open() (images.Source, error) {
	var out images.Source
	var err error
	if s.model == "" {
		out.Model, err = pair.Bundled()
	} else {
		out.Model, err = pair.Open(s.model)
	}
	if err != nil {
		return out, err
	}
	for k, paths := range s.exemplars {
		for _, path := range paths {
			p, err := dataset.ReadPicture(path)
			if err != nil {
				return out, err
			}
			out.Exemplars[k] = append(out.Exemplars[k], pair.Exemplar{Name: filepath.Base(path), Picture: p})
		}
	}
	return out, nil
}

func evalImages(f *pflag.FlagSet) evaluator {
	spec := images.PublishedSpec()
	var methods, gammas, scales, weights []string
	var from pairSource
	var networks images.NetworkFiles
	f.StringSliceVar(&methods, "methods", nil, "methods (default: those that the model has the parts for)")
	numbers(f, &spec.Exemplars, images.SpecExemplars)
	f.StringSliceVar(&gammas, "gammas", nil, "coupling strengths (default: by the rule of pcd pair)")
	f.StringSliceVar(&scales, "noise-scales", nil, "factors of the noise under projection (default: by the rule)")
	number(f, &spec.Floor, images.SpecFloor.With(spec.Floor, images.SpecFloor.Help))
	number(f, &spec.Steps, planner.PairSteps.With(float64(spec.Steps), planner.PairSteps.Help))
	renamed(f, "steps", "sampling-steps")
	number(f, &spec.Pairs, images.SpecPairs.With(float64(spec.Pairs), images.SpecPairs.Help))
	number(f, &spec.Seeds, images.SpecSeeds.With(float64(spec.Seeds), images.SpecSeeds.Help))
	f.Uint64Var(&spec.FirstSeed, "first-seed", 0, "the first of them; the tables have 0, and strengths are chosen on others")
	f.StringVar(&spec.Prompt, "prompt", spec.Prompt, "what prompted methods are told")
	number(f, &spec.Guidance, settings.Guidance.With(spec.Guidance, "how far the prompt is exaggerated (default: that of each method)"))
	f.StringSliceVar(&weights, "sync-weights", nil, "weights of the gradient of sync (default: by the rule)")
	f.BoolVar(&spec.SyncTogether, "sync-together", false, "sync moves both images, and not only the one beside the anchor")
	from.addTo(f)
	f.StringVar((*string)(&spec.Same), "same", "", "give both images the exemplars of one of them, a or b (default: each its own)")
	f.StringVar(&networks.CLIP, "clip", "", "weights of CLIP ViT-B/32, for SE-CLIP (default: the judge's features)")
	f.StringVar(&networks.VGG, "vgg", "", "weights of VGG-16, for SE-LPIPS and IS-LPIPS; needs --lpips")
	f.StringVar(&networks.LPIPS, "lpips", "", "weights of LPIPS on VGG, version 0.1; needs --vgg")
	f.StringVar(&networks.Inception, "inception", "", "weights of FID's Inception network, for SE-FID")
	return func(ctx context.Context, o experiment.Options) (experiment.Summary, error) {
		var gammaErr, scaleErr, weightErr error
		chosen, methodErr := parseAll(methods, pair.ParseMethod)
		spec.Gammas, gammaErr = parseNumbers("--gammas", gammas)
		spec.NoiseScales, scaleErr = parseNumbers("--noise-scales", scales)
		spec.SyncWeights, weightErr = parseNumbers("--sync-weights", weights)
		if err := errors.Join(methodErr, gammaErr, scaleErr, weightErr); err != nil {
			return experiment.Summary{}, usageError{err}
		}
		if chosen != nil {
			spec.Methods = chosen
		}
		if _, err := spec.Cells(); err != nil {
			return experiment.Summary{}, usageError{err} // before a model is opened
		}
		source, err := from.open()
		if err != nil {
			return experiment.Summary{}, err
		}
		if source.Networks = networks; chosen == nil {
			spec.Methods = source.Able(spec.Methods)
		}
		o.Seed = spec.FirstSeed
		return images.New(func() (images.Source, error) { return source, nil }).Evaluate(ctx, spec, o)
	}
}
