package singlefile

import (
	"fmt"
	"strconv"
	"strings"
)

// pairs are beginnings of names: in a file, and in a folder.
type pairs [][2]string

// translate replaces the beginning of a name that is in column from by that in the other;
// it must be followed by a dot.
func (p pairs) translate(name string, from int) (string, bool) {
	for _, row := range p {
		if rest, ok := strings.CutPrefix(name, row[from]+"."); ok {
			return row[1-from] + "." + rest, true
		}
	}
	return name, false
}

// The columns of pairs.
const (
	inFile = iota
	inFolder
)

var (
	unetEnds = pairs{{"time_embed.0", "time_embedding.linear_1"}, {"time_embed.2", "time_embedding.linear_2"}, {"time_embed.cond_proj", "time_embedding.cond_proj"},
		{"input_blocks.0.0", "conv_in"}, {"out.0", "conv_norm_out"}, {"out.2", "conv_out"}}
	unetMiddle = pairs{{"middle_block.0", "mid_block.resnets.0"}, {"middle_block.1", "mid_block.attentions.0"}, {"middle_block.2", "mid_block.resnets.1"}}
	unetResnet = pairs{{"in_layers.0", "norm1"}, {"in_layers.2", "conv1"}, {"emb_layers.1", "time_emb_proj"}, {"out_layers.0", "norm2"}, {"out_layers.3", "conv2"}, {"skip_connection", "conv_shortcut"}}
)

// unetNames numbers the blocks of a denoising network. Files count them from one end of the
// network to the other, folders by level.
type unetNames struct {
	// layers are the residual blocks that a level has on the way down by the numbers of
	// the file. Networks that were distilled to have fewer keep those of their teacher.
	layers int
	// attention says of which levels on the way up have attention: there, what enlarges is the third
	// of a block, elsewhere the second.
	attention map[int]bool
}

// folder returns the name that a tensor of a file has in a folder.
func (u unetNames) folder(name string) (string, bool) {
	if s, ok := unetEnds.translate(name, inFile); ok {
		return s, true
	}
	if s, ok := unetMiddle.translate(name, inFile); ok {
		if strings.HasPrefix(s, "mid_block.attentions") {
			return s, true
		}
		at := len("mid_block.resnets.0.")
		rest, ok := unetResnet.translate(s[at:], inFile)
		return s[:at] + rest, ok
	}
	way, rest, _ := strings.Cut(name, ".")
	number, rest, _ := strings.Cut(rest, ".")
	kind, rest, _ := strings.Cut(rest, ".")
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || strconv.Itoa(i) != number {
		return name, false
	}
	switch way {
	case "input_blocks":
		return u.folderDown(i-1, kind, rest)
	case "output_blocks":
		return u.folderUp(i, kind, rest)
	}
	return name, false
}

func (u unetNames) folderDown(i int, kind, rest string) (string, bool) {
	b, j := i/(u.layers+1), i%(u.layers+1)
	if i < 0 {
		return "", false
	}
	if op, ok := strings.CutPrefix(rest, "op."); ok && j == u.layers && kind == "0" {
		return fmt.Sprintf("down_blocks.%d.downsamplers.0.conv.%s", b, op), true
	}
	return placed("down", b, j, kind, rest)
}

func (u unetNames) folderUp(i int, kind, rest string) (string, bool) {
	b, j := i/(u.layers+1), i%(u.layers+1)
	if conv, ok := strings.CutPrefix(rest, "conv."); ok && (kind == "1" || kind == "2") {
		return fmt.Sprintf("up_blocks.%d.upsamplers.0.conv.%s", b, conv), true
	}
	return placed("up", b, j, kind, rest)
}

// placed names a tensor of a residual block or of an attention.
func placed(way string, b, j int, kind, rest string) (string, bool) {
	switch kind {
	case "0":
		s, ok := unetResnet.translate(rest, inFile)
		return fmt.Sprintf("%s_blocks.%d.resnets.%d.%s", way, b, j, s), ok
	case "1":
		return fmt.Sprintf("%s_blocks.%d.attentions.%d.%s", way, b, j, rest), true
	}
	return rest, false
}

// file returns the name that a tensor of a folder has in a file.
func (u unetNames) file(name string) (string, bool) {
	if s, ok := unetEnds.translate(name, inFolder); ok {
		return s, true
	}
	if s, ok := unetMiddle.translate(name, inFolder); ok {
		if strings.HasPrefix(s, "middle_block.1.") {
			return s, true
		}
		at := len("middle_block.0.")
		rest, ok := unetResnet.translate(s[at:], inFolder)
		return s[:at] + rest, ok
	}
	p := strings.SplitN(name, ".", 5)
	if len(p) < 5 {
		return name, false
	}
	b, err := strconv.Atoi(p[1])
	j, err2 := strconv.Atoi(p[3])
	if err != nil || err2 != nil {
		return name, false
	}
	return u.fileOf(p[0], b, p[2], j, p[4])
}

// fileOf names a tensor of the j-th module of a kind of level b.
func (u unetNames) fileOf(way string, b int, kind string, j int, rest string) (string, bool) {
	block := map[string]string{"down_blocks": "input_blocks", "up_blocks": "output_blocks"}[way]
	i := b*(u.layers+1) + j
	if way == "down_blocks" {
		i++
	}
	switch {
	case block == "":
		return rest, false
	case kind == "downsamplers":
		s, ok := strings.CutPrefix(rest, "conv.")
		return fmt.Sprintf("%s.%d.0.op.%s", block, i+u.layers, s), ok
	case kind == "upsamplers":
		at := 1
		if u.attention[b] {
			at = 2
		}
		return fmt.Sprintf("%s.%d.%d.%s", block, i+u.layers, at, rest), true
	case kind == "attentions":
		return fmt.Sprintf("%s.%d.1.%s", block, i, rest), true
	case kind == "resnets":
		s, ok := unetResnet.translate(rest, inFolder)
		return fmt.Sprintf("%s.%d.0.%s", block, i, s), ok
	}
	return rest, false
}
