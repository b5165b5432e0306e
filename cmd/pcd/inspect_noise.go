package main

import (
	"slices"

	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/modelfile"
)

// inspectNoise returns what opening a model finds wrong with the noise that its scheduler describes, and says it of that
// part. It looks at models whose network is drawn with here: of others nobody knows what their scheduler means.
func inspectNoise(dir string, s *modelfile.FolderSummary) error {
	drawn := slices.ContainsFunc(s.Parts, func(p modelfile.PartSummary) bool {
		return p.Name == "unet" && p.Class == "UNet2DConditionModel"
	})
	i := slices.IndexFunc(s.Parts, func(p modelfile.PartSummary) bool { return p.Name == "scheduler" && p.Problem == "" })
	if !drawn || i < 0 {
		return nil
	}
	f, err := modelfile.OpenFolder(dir)
	if err != nil {
		return err
	}
	if _, err = latent.NoiseOf(f); err != nil {
		s.Parts[i].Problem = err.Error()
	}
	return err
}
