package attack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-pcd/pcd/internal/tokenizer"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/weights"
)

// networkSettings are those of the networks that a model folder can hold.
func networkSettings() [][]byte {
	return [][]byte{
		[]byte(`{"_class_name": "UNet2DConditionModel", "attention_head_dim": [1, 2], "block_out_channels": [8, 16], "cross_attention_dim": 12,
"down_block_types": ["CrossAttnDownBlock2D", "DownBlock2D"], "up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D"], "layers_per_block": 1, "norm_num_groups": 4}`),
		[]byte(`{"_class_name": "AutoencoderKL", "block_out_channels": [8, 16], "down_block_types": ["DownEncoderBlock2D", "DownEncoderBlock2D"],
"up_block_types": ["UpDecoderBlock2D", "UpDecoderBlock2D"], "latent_channels": 4, "layers_per_block": 1, "norm_num_groups": 4}`),
		[]byte(`{"architectures": ["CLIPTextModel"], "hidden_size": 16, "intermediate_size": 32, "num_attention_heads": 2, "num_hidden_layers": 1,
"hidden_act": "gelu", "vocab_size": 20, "max_position_embeddings": 6, "model_type": "clip_text_model"}`),
	}
}

// openSettings inspects a folder of one network, of which nothing but the settings is
// there.
func openSettings(dir string, file []byte) error {
	root := filepath.Join(dir, "network")
	err := errors.Join(os.MkdirAll(root, 0o755), os.WriteFile(filepath.Join(root, "config.json"), file, 0o644))
	if err != nil {
		return err
	}
	s, err := modelfile.InspectFolder(root)
	if err != nil {
		return err
	}
	if err := s.Err(); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // no weights, as expected
}

// shardIndex is the index of a model in one file.
func shardIndex() [][]byte {
	return [][]byte{[]byte(`{"metadata": {"total_size": 4}, "weight_map": {"a": "part.safetensors"}}`)}
}

// openShards opens an index beside the file that the one of shardIndex names.
func openShards(dir string, file []byte) error {
	var sd weights.StateDict
	if err := sd.Add(weights.New("a", nil, []float32{1})); err != nil {
		return err
	}
	var b strings.Builder
	err := errors.Join(weights.WriteSafetensors(&b, &sd, nil),
		os.WriteFile(filepath.Join(dir, "part.safetensors"), []byte(b.String()), 0o644))
	if err != nil {
		return err
	}
	return opened("model.safetensors.index.json", func(path string) error {
		opened, err := weights.Open(path, weights.Options{})
		if err != nil {
			return err
		}
		return opened.Close()
	})(dir, file)
}

// vocabularies are the letters of all bytes, a merge, and the special tokens.
func vocabularies() [][]byte {
	var tokens []string
	hidden := 0
	for b := range 256 {
		letter := string(rune(b))
		if b < '!' || b > '~' && b < '¡' || b == 0xad {
			letter = string(rune(256 + hidden))
			hidden++
		}
		tokens = append(tokens, letter, letter+"</w>")
	}
	tokens = append(tokens, "he", "<|startoftext|>", "<|endoftext|>")
	var b strings.Builder
	for id, token := range tokens {
		fmt.Fprintf(&b, "%c%q: %d", "{,"[min(id, 1)], token, id)
	}
	return [][]byte{[]byte(b.String() + "}")}
}

// openVocabulary opens a tokenizer and takes a text apart.
func openVocabulary(dir string, file []byte) error {
	root := filepath.Join(dir, "tokenizer")
	err := errors.Join(os.MkdirAll(root, 0o755),
		os.WriteFile(filepath.Join(root, "vocab.json"), file, 0o644),
		os.WriteFile(filepath.Join(root, "merges.txt"), []byte("#version: 0.2\nh e\n"), 0o644))
	if err != nil {
		return err
	}
	t, err := tokenizer.Open(root)
	if err != nil {
		return err
	}
	t.Encode("hello, it's 12!")
	return nil
}
