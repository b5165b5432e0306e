package portraits

import (
	"context"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/tokenizer"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/weights"
)

// textWidth is the width of the rows of context.
const textWidth = 64

// textSeed is that of the text encoder's weights.
const textSeed = 5

// writeTokenizer writes the files of the tokenizer to a folder.
func writeTokenizer(dir string) error {
	files, err := vocabulary()
	if err != nil {
		return err
	}
	for name, raw := range files {
		if err := writeFile(dir, name, raw); err != nil {
			return err
		}
	}
	return nil
}

// openText returns the tokenizer and the text encoder. The encoder keeps the random
// weights that it starts with: different prompts become different rows, and what they
// mean is for the denoising network to learn.
func openText(dir string) (*latent.Text, error) {
	if err := writeTokenizer(dir); err != nil {
		return nil, err
	}
	t, err := tokenizer.Open(dir)
	if err != nil {
		return nil, err
	}
	net, err := nn.NewCLIPText(nn.CLIPTextConfig{
		Width: textWidth, Hidden: 2 * textWidth, Heads: 4, Layers: 1, Vocabulary: t.Vocabulary(), Positions: tokens,
		Activation: "gelu", Epsilon: 1e-5,
	})
	if err != nil {
		return nil, err
	}
	net.Init(noise.New(textSeed).Sub("text"))
	return &latent.Text{Tokens: t, Net: net}, halve(net)
}

// halve rounds the parameters of a network to the precision that models are shipped
// in, so that the denoising network learns from the rows that it will be told.
func halve(net *nn.CLIPText) error {
	sd := &weights.StateDict{}
	for _, p := range net.Params() {
		if err := sd.Add(weights.New(p.Name, p.Shape, p.Data)); err != nil {
			return err
		}
	}
	half, err := sd.As(weights.F16)
	if err != nil {
		return err
	}
	if err := weights.Load(modelfile.Targets(net), half, weights.LoadOptions{}); err != nil {
		return err
	}
	net.Refresh()
	return nil
}

// ownText returns the text side without leaving files.
func ownText() (*latent.Text, error) {
	dir, err := atomicfile.MkdirTemp(os.TempDir())
	if err != nil {
		return nil, err
	}
	defer dir.Remove()
	return openText(filepath.Join(dir.Path, "tokenizer"))
}

// contexts returns the rows of context of every prompt, and of none.
func contexts(ctx context.Context, t *latent.Text) (map[string][]float32, error) {
	out := map[string][]float32{}
	for _, p := range append(prompts(), "") {
		rows, _, err := t.Rows(ctx, p)
		if err != nil {
			return nil, err
		}
		out[p] = rows.Data
	}
	return out, nil
}
