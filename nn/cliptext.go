package nn

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/tensor"
)

// CLIPTextConfig describes a [CLIPText]. [ParseConfig] reads it from the
// config.json of the library transformers.
type CLIPTextConfig struct {
	Width, Hidden, Heads, Layers int
	Vocabulary                   int     // tokens
	Positions                    int     // most tokens of a text
	Activation                   string  // gelu or quick_gelu
	Epsilon                      float64 // of the normalisations
	Workers                      int     // goroutines; 0 is GOMAXPROCS
}

// maxVocabulary is above every published vocabulary.
const maxVocabulary = 1 << 20

// parseCLIPText reads a config.json. It returns a [ConfigError] for what is
// missing, contradicts itself or asks for a network of another kind.
func parseCLIPText(raw []byte) (CLIPTextConfig, error) {
	d := parseDocument("CLIPText", raw)
	if d.err != nil {
		return CLIPTextConfig{}, d.err
	}
	d.only("model_type", "clip_text_model")
	c := CLIPTextConfig{
		Width: d.number("hidden_size", 512, maxSize), Hidden: d.number("intermediate_size", 2048, maxSize),
		Heads: d.number("num_attention_heads", 8, maxSize), Layers: d.number("num_hidden_layers", 12, maxCount),
		Vocabulary: d.number("vocab_size", 49408, maxVocabulary), Positions: d.number("max_position_embeddings", 77, maxSize),
		Activation: d.activation(), Epsilon: d.real("layer_norm_eps", 1e-5),
	}
	d.ignoreTransformers()
	if err := d.end(); err != nil {
		return CLIPTextConfig{}, err
	}
	return c, c.check()
}

// ignoreTransformers passes over what a configuration of the library transformers says
// about training, tokens and files.
func (d *document) ignoreTransformers() {
	d.ignore("attention_dropout", "dropout", "initializer_factor", "initializer_range", "bos_token_id", "eos_token_id",
		"pad_token_id", "projection_dim", "transformers_version", "architectures", "torch_dtype", "dtype", "use_cache")
	d.ignore(ofEveryModel...)
}

// ofEveryModel are keys that the library transformers has for every model, and writes out where a configuration is
// saved in full, such as one that was part of another: what is returned in which form, labels of answers, and how texts are written.
var ofEveryModel = []string{
	"return_dict", "output_attentions", "output_hidden_states", "torchscript", "use_bfloat16", "tie_word_embeddings", "tie_encoder_decoder", "chunk_size_feed_forward", "gradient_checkpointing",
	"id2label", "label2id", "max_length", "num_beams", "num_beam_groups", "num_return_sequences", "temperature", "top_k", "top_p", "typical_p", "repetition_penalty", "length_penalty", "tf_legacy_loss",
}

func (c *CLIPTextConfig) size() clipSize {
	return clipSize{c.Width, c.Hidden, c.Heads, c.Layers, c.Epsilon, activationOf(c.Activation)}
}

func (c *CLIPTextConfig) check() error {
	if c.Vocabulary < 1 || c.Vocabulary > maxVocabulary || c.Positions < 1 || c.Positions > maxSize {
		return &ConfigError{"CLIPText", "vocab_size", fmt.Sprintf("%d, max_position_embeddings %d", c.Vocabulary, c.Positions),
			fmt.Sprintf("up to %d tokens and %d positions", maxVocabulary, maxSize)}
	}
	return checkTower("CLIPText", c.Width, c.Hidden, c.Heads, c.Layers, c.Epsilon, c.Activation)
}

// CLIPText maps the tokens of a text to a row for each: the text encoder of CLIP, whose
// rows see no later ones. Names are those of CLIPTextModel of the library transformers.
type CLIPText struct {
	engine
	config           CLIPTextConfig
	tokens, position *Param
	layers           []*clipLayer
	norm             *layerNorm
}

// NewCLIPText returns a network whose parameters have no values yet: give them some, or
// call Init.
func NewCLIPText(c CLIPTextConfig) (*CLIPText, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	n := &CLIPText{config: c}
	n.params.lazy = true
	p := &n.params
	n.tokens = p.product("text_model.embeddings.token_embedding.weight", bound(c.Width), c.Vocabulary, c.Width)
	n.position = p.add("text_model.embeddings.position_embedding.weight", 0, bound(c.Width), c.Positions, c.Width)
	n.layers = newClipLayers(p, "text_model.encoder", c.size())
	n.norm = newLayerNorm(p, "text_model.final_layer_norm", c.Width, c.Epsilon)
	return n, n.start(n.wire, c.Workers)
}

// wire lays the network out for texts of a number of tokens.
func (n *CLIPText) wire(k key) *plan {
	g := newGraph(k)
	x := g.embed(n.tokens, n.position, k.size.rows)
	g.watch("hidden.0", x)
	for i, l := range n.layers {
		x = g.clipLayer(l, n.config.size().act, true, x)
		g.watch(fmt.Sprintf("hidden.%d", i+1), x)
	}
	g.leaveRows(0, g.layerNorm(n.norm, x))
	return g.finish()
}

// embed lays out the rows of the tokens and of their positions.
func (g *graph) embed(tokens, position *Param, rows int) *signal {
	width := tokens.Shape[1]
	x := g.signal(rows, width)
	g.from(x, tokens)
	g.tasks(rows, func(r *run, i int, _ *kernel.Hand) {
		row, at := r.all(x)[i*width:][:width], i%rows*width
		tokens.tensor().Read(row, r.ids[r.first*rows+i]*width)
		kernel.Add(kernel.Vector(row), kernel.Vector(row), kernel.Vector(position.Data[at:at+width]))
	}, x)
	g.onBackward(x, func(d *signal) {
		g.does(func(r *run) {
			dy := r.all(d)
			for i := range r.n * rows { // tokens repeat: one after the other
				addRow(tokens.Grad[r.ids[r.first*rows+i]*width:], dy[i*width:][:width])
				addRow(position.Grad[i%rows*width:], dy[i*width:][:width])
			}
		}, d)
	})
	return x
}

func addRow(sum, x []float32) {
	for i, v := range x {
		sum[i] += v
	}
}

// tokenError says that a token is not in the vocabulary, or that there are too many.
type tokenError struct {
	Text, Position, Token int
	Vocabulary            int
}

func (e *tokenError) Error() string {
	return fmt.Sprintf("nn: token %d at position %d of text %d, want one of a vocabulary of %d", e.Token, e.Position, e.Text, e.Vocabulary)
}

// Encode writes a row for each token of the texts to dst, [tokens, Width] for each text:
// the last hidden states after the final normalisation. ids has the tokens of all texts,
// one text after the other.
func (n *CLIPText) Encode(ctx context.Context, dst tensor.Batch, ids []int) error {
	if dst.N == 0 {
		return nil
	}
	rows := len(ids) / dst.N
	if len(ids)%dst.N != 0 || rows < 1 || rows > n.config.Positions {
		return &ShapeError{"CLIPText", tensor.Shape{dst.N, len(ids)}, fmt.Sprintf("1 to %d tokens for each text", n.config.Positions)}
	}
	mustFit(dst.N, tensor.Shape{rows, n.config.Width}, dst)
	for i, id := range ids {
		if id < 0 || id >= n.config.Vocabulary {
			return &tokenError{i / rows, i % rows, id, n.config.Vocabulary}
		}
	}
	b := bindings{samples: dst.N, size: extent{rows: rows}, ids: ids}
	b.out[0] = dst.Data
	return n.run(ctx, predicting, 0, b)
}

// Config returns what the network was made from.
func (n *CLIPText) Config() CLIPTextConfig { return n.config }
