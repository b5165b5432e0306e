package latent

import (
	"context"

	"github.com/go-pcd/pcd/internal/tokenizer"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Text turns prompts into what a denoising network looks at: rows of context.
type Text struct {
	Tokens *tokenizer.Tokenizer
	Net    *nn.CLIPText
}

// Rows returns the rows of context of a prompt, [1, tokens, width], and how many of its
// tokens did not fit. The empty prompt is what a model was trained with where it was
// told nothing.
func (t Text) Rows(ctx context.Context, prompt string) (rows tensor.Batch, lost int, err error) {
	ids, total := t.Tokens.Encode(prompt)
	rows = tensor.New(1, len(ids), t.Net.Config().Width)
	return rows, max(total-len(ids), 0), t.Net.Encode(ctx, rows, ids)
}

// check returns an error when the tokens, the encoder and the denoising network do not
// belong together.
func (t Text) check(net *nn.UNet2DCondition) error {
	c := t.Net.Config()
	if n := t.Tokens.Vocabulary(); n > c.Vocabulary {
		return &SettingError{Where: "tokenizer", Name: "vocabulary", Value: n, Want: tokens(c.Vocabulary)}
	}
	if n := t.Tokens.Length(); n > c.Positions {
		return &SettingError{Where: "tokenizer", Name: "length", Value: n, Want: tokens(c.Positions)}
	}
	if want := net.Config().CrossAttentionDim; c.Width != want {
		return &SettingError{Where: "text_encoder", Name: "hidden_size", Value: c.Width, Want: "the unet's cross_attention_dim, " + number(want)}
	}
	return nil
}
