package singlefile

import (
	"fmt"
	"strconv"
	"strings"
)

// The names of OpenCLIP's text encoder, and what its layers are made of.
var (
	openEnds = pairs{{"token_embedding", "text_model.embeddings.token_embedding"}, {"ln_final", "text_model.final_layer_norm"}}
	openPart = pairs{{"ln_1", "layer_norm1"}, {"ln_2", "layer_norm2"}, {"mlp.c_fc", "mlp.fc1"}, {"mlp.c_proj", "mlp.fc2"}, {"attn.out_proj", "self_attn.out_proj"}}
)

const (
	openPosition   = "positional_embedding"
	folderPosition = "text_model.embeddings.position_embedding.weight"
	openLayer      = "transformer.resblocks."
	folderLayer    = "text_model.encoder.layers."
	stacked        = "attn.in_proj_"
)

// stack are the maps that OpenCLIP keeps in one tensor, in the order of their rows.
var stack = []string{"q", "k", "v"}

// openName returns the name in a folder of a tensor of OpenCLIP that is one there, too.
func openName(name string) (s string, ok bool) {
	if name == openPosition {
		return folderPosition, true
	}
	if s, ok := openEnds.translate(name, inFile); ok {
		return s, true
	}
	layer, part, ok := openLayerOf(name)
	if !ok {
		return name, false
	}
	s, ok = openPart.translate(part, inFile)
	return fmt.Sprintf("%s%d.%s", folderLayer, layer, s), ok
}

// openLayerOf takes a name apart: the number of a layer, and what is of it.
func openLayerOf(name string) (layer int, part string, ok bool) {
	return layerOf(name, openLayer)
}

func layerOf(name, prefix string) (layer int, part string, ok bool) {
	rest, ok := strings.CutPrefix(name, prefix)
	number, part, dot := strings.Cut(rest, ".")
	layer, err := strconv.Atoi(number)
	return layer, part, ok && dot && err == nil && layer >= 0
}

// stackedName returns the name in a folder of one of the maps of a stack.
func stackedName(layer int, which, kind string) string {
	return fmt.Sprintf("%s%d.self_attn.%s_proj.%s", folderLayer, layer, which, kind)
}

// fileOpenName returns the name in OpenCLIP of a tensor of a folder that is one there, too.
func fileOpenName(name string) (string, bool) {
	if name == folderPosition {
		return openPosition, true
	}
	if s, ok := openEnds.translate(name, inFolder); ok {
		return s, true
	}
	layer, part, ok := layerOf(name, folderLayer)
	if !ok {
		return name, false
	}
	s, ok := openPart.translate(part, inFolder)
	return fmt.Sprintf("%s%d.%s", openLayer, layer, s), ok
}
