package singlefile

import (
	"fmt"
	"strconv"
	"strings"
)

var (
	codecMiddle = pairs{{"mid.block_1", "mid_block.resnets.0"}, {"mid.attn_1", "mid_block.attentions.0"}, {"mid.block_2", "mid_block.resnets.1"}}
	codecHeads  = pairs{{"norm", "group_norm"}, {"q", "to_q"}, {"k", "to_k"}, {"v", "to_v"}, {"proj_out", "to_out.0"}}
	codecResnet = pairs{{"nin_shortcut", "conv_shortcut"}, {"norm1", "norm1"}, {"norm2", "norm2"}, {"conv1", "conv1"}, {"conv2", "conv2"}}
	codecEnds   = pairs{{"conv_in", "conv_in"}, {"conv_out", "conv_out"}, {"norm_out", "conv_norm_out"}}
	codecQuant  = pairs{{"quant_conv", "quant_conv"}, {"post_quant_conv", "post_quant_conv"}}
)

// codecNames numbers the levels of an autoencoder. Files count those of the decoder from the
// image on, folders from the latents.
type codecNames struct{ levels int }

// folder returns the name that a tensor of a file has in a folder, and whether it is the
// matrix of an attention, which files have as a convolution of one pixel.
func (c codecNames) folder(name string) (s string, matrix, ok bool) {
	if s, ok := codecQuant.translate(name, inFile); ok {
		return s, false, true
	}
	half, rest, _ := strings.Cut(name, ".")
	if half != "encoder" && half != "decoder" {
		return name, false, false
	}
	s, matrix, ok = c.half(half, rest)
	return half + "." + s, matrix, ok
}

func (c codecNames) half(half, name string) (s string, matrix, ok bool) {
	if s, ok := codecEnds.translate(name, inFile); ok {
		return s, false, true
	}
	if s, ok := codecMiddle.translate(name, inFile); ok {
		at := len("mid_block.resnets.0.")
		if strings.HasPrefix(s, "mid_block.attentions") {
			at = len("mid_block.attentions.0.")
			rest, ok := codecHeads.translate(s[at:], inFile)
			return s[:at] + rest, strings.HasSuffix(rest, ".weight") && !strings.HasPrefix(rest, "group_norm"), ok
		}
		rest, ok := codecResnet.translate(s[at:], inFile)
		return s[:at] + rest, false, ok
	}
	p := strings.SplitN(name, ".", 5)
	if len(p) < 4 {
		return name, false, false
	}
	i, err := strconv.Atoi(p[1])
	if err != nil {
		return name, false, false
	}
	way := map[string]string{"encoder.down": "down", "decoder.up": "up"}[half+"."+p[0]]
	if half == "decoder" {
		i = c.levels - 1 - i
	}
	switch rest := strings.Join(p[3:], "."); {
	case way == "" || i < 0:
	case p[2] == "downsample" || p[2] == "upsample":
		return fmt.Sprintf("%s_blocks.%d.%srs.0.%s", way, i, p[2], rest), false, way+"sample" == p[2]
	case p[2] == "block" && len(p) == 5:
		s, ok := codecResnet.translate(p[4], inFile)
		return fmt.Sprintf("%s_blocks.%d.resnets.%s.%s", way, i, p[3], s), false, ok
	}
	return name, false, false
}

// file returns the name that a tensor of a folder has in a file, and whether it is a matrix
// that is a convolution there.
func (c codecNames) file(name string) (s string, matrix, ok bool) {
	if s, ok := codecQuant.translate(name, inFolder); ok {
		return s, false, true
	}
	half, rest, _ := strings.Cut(name, ".")
	if half != "encoder" && half != "decoder" {
		return name, false, false
	}
	s, matrix, ok = c.fileHalf(half, rest)
	return half + "." + s, matrix, ok
}

func (c codecNames) fileHalf(half, name string) (s string, matrix, ok bool) {
	if s, ok := codecEnds.translate(name, inFolder); ok {
		return s, false, true
	}
	if s, ok := codecMiddle.translate(name, inFolder); ok {
		if rest, heads := strings.CutPrefix(s, "mid.attn_1."); heads {
			rest, ok = codecHeads.translate(rest, inFolder)
			return "mid.attn_1." + rest, strings.HasSuffix(rest, ".weight") && !strings.HasPrefix(rest, "norm"), ok
		}
		at := len("mid.block_1.")
		rest, ok := codecResnet.translate(s[at:], inFolder)
		return s[:at] + rest, false, ok
	}
	p := strings.SplitN(name, ".", 5)
	if len(p) < 5 {
		return name, false, false
	}
	i, err := strconv.Atoi(p[1])
	if err != nil {
		return name, false, false
	}
	way := map[string]string{"encoder.down_blocks": "down", "decoder.up_blocks": "up"}[half+"."+p[0]]
	if half == "decoder" {
		i = c.levels - 1 - i
	}
	switch {
	case way == "" || i < 0:
	case p[2] == way+"samplers":
		return fmt.Sprintf("%s.%d.%ssample.%s", way, i, way, p[4]), false, true
	case p[2] == "resnets":
		s, ok := codecResnet.translate(p[4], inFolder)
		return fmt.Sprintf("%s.%d.block.%s.%s", way, i, p[3], s), false, ok
	}
	return name, false, false
}
