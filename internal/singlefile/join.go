package singlefile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/weights"
)

// Join is the way back from [Parse]: the tensors of the parts of a folder, under the names and in
// the form of a file. As programs that read such files want the layer of OpenCLIP that is not
// used, the last one is written twice. The
// metadata say what the network predicts, and tensors that the noise ends without signal.
func (m *Model) Join() (*weights.StateDict, error) {
	out := &weights.StateDict{Metadata: map[string]string{predictionKey: map[string]string{Velocity: "v"}[m.Prediction]}}
	if m.Prediction != Velocity {
		out.Metadata[predictionKey] = Epsilon
	}
	for _, part := range []string{UNet, VAE, Text} {
		sd := m.Parts[part]
		if sd == nil {
			continue
		}
		if err := m.join(out, part, sd); err != nil {
			return nil, err
		}
	}
	return out, out.Add(m.flags()...)
}

func (m *Model) join(out *weights.StateDict, part string, sd *weights.StateDict) error {
	switch {
	case part == UNet:
		return joinUNet(out, sd)
	case part == VAE:
		return joinVAE(out, sd)
	case m.Family == SD2:
		return joinOpen(out, sd)
	}
	for _, t := range sd.Tensors() {
		t.Name = "cond_stage_model.transformer." + t.Name
		if err := out.Add(t); err != nil {
			return err
		}
	}
	return nil
}

// unknown says that a tensor of a folder has no place in a file.
func unknown(name string) error {
	return &Error{Tensor: name, Reason: "has no name in files of Stable Diffusion 1 or 2"}
}

func joinUNet(out, sd *weights.StateDict) error {
	t := shapes{sd}
	names := unetNames{layers: t.count("down_blocks.0.resnets.%d.conv1.weight"), attention: map[int]bool{}}
	if names.layers == 1 && !t.has("mid_block.resnets.0.conv1.weight") {
		names.layers = 2 // as its teacher has
	}
	for i := range maxLevels {
		names.attention[i] = t.has(fmt.Sprintf("up_blocks.%d.attentions.0.norm.weight", i))
	}
	for _, x := range sd.Tensors() {
		name, ok := names.file(x.Name)
		if !ok {
			return unknown(x.Name)
		}
		x.Name = "model.diffusion_model." + name
		if err := out.Add(x); err != nil {
			return err
		}
	}
	return nil
}

func joinVAE(out, sd *weights.StateDict) error {
	names := codecNames{shapes{sd}.count("encoder.down_blocks.%d.resnets.0.conv1.weight")}
	for _, x := range sd.Tensors() {
		name, matrix, ok := names.file(x.Name)
		if !ok {
			return unknown(x.Name)
		}
		if matrix && len(x.Shape) == 2 {
			var err error
			if x, err = x.Reshape(x.Shape[0], x.Shape[1], 1, 1); err != nil {
				return err
			}
		}
		x.Name = "first_stage_model." + name
		if err := out.Add(x); err != nil {
			return err
		}
	}
	return nil
}

// joinOpen writes the text encoder as OpenCLIP has it.
func joinOpen(out, sd *weights.StateDict) error {
	layers := shapes{sd}.count(folderLayer + "%d.mlp.fc1.weight")
	var all []weights.Tensor
	for _, x := range sd.Tensors() {
		if name, ok := fileOpenName(x.Name); ok {
			x.Name = name
			all = append(all, x)
			continue
		}
		if layer, part, ok := layerOf(x.Name, folderLayer); !ok || !strings.HasPrefix(part, "self_attn.") || layer >= layers {
			return unknown(x.Name)
		}
	}
	for layer := range layers {
		for _, kind := range []string{"weight", "bias"} {
			x, err := stackOf(sd, layer, kind)
			if err != nil {
				return err
			}
			all = append(all, x)
		}
	}
	last := fmt.Sprintf("%s%d.", openLayer, layers-1)
	for _, x := range slices.Clone(all) {
		if part, ok := strings.CutPrefix(x.Name, last); ok {
			x.Name = fmt.Sprintf("%s%d.%s", openLayer, layers, part)
			all = append(all, x)
		}
	}
	for i := range all {
		all[i].Name = "cond_stage_model.model." + all[i].Name
	}
	return out.Add(all...)
}

// stackOf joins the maps of queries, keys and values of a layer.
func stackOf(sd *weights.StateDict, layer int, kind string) (weights.Tensor, error) {
	var parts []weights.Tensor
	for _, which := range stack {
		x, ok := sd.Tensor(stackedName(layer, which, kind))
		if !ok {
			return x, &Error{Tensor: stackedName(layer, which, kind), Reason: "is missing"}
		}
		parts = append(parts, x)
	}
	return weights.Stack(fmt.Sprintf("%s%d.%s%s", openLayer, layer, stacked, kind), parts...)
}
