package latent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/internal/singlefile"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// TinyPart is the name of the part of a folder with a tiny autoencoder beside the full one.
const TinyPart = "vae_tiny"

// openTiny reads a tiny autoencoder: a folder in the layout of the library diffusers, also one of a whole model
// that has one, or the file taesd_decoder (.safetensors, .pth) in the names of its author, or the folder that it lies in. Where
// that file stands alone, the network only decodes; otherwise taesd_encoder beside it is read, too.
func openTiny(path string) (*nn.AutoencoderTiny, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &modelfile.Error{Path: path, Reason: "cannot be read", Err: err}
	}
	if !info.IsDir() {
		return openTinyFiles(path)
	}
	for _, name := range []string{"taesd_decoder.safetensors", "taesd_decoder.pth"} {
		if file := filepath.Join(path, name); exists(file) {
			return openTinyFiles(file)
		}
	}
	if inside := filepath.Join(path, TinyPart); exists(inside) {
		return openTiny(inside)
	}
	f, err := modelfile.OpenFolder(path)
	if err != nil {
		return nil, err
	}
	part, err := f.Part("vae") // of a whole model
	if err != nil {
		part = &f.Parts[0]
	}
	net, err := modelfile.Network[*nn.AutoencoderTiny](part)
	if err != nil {
		return nil, err
	}
	return net, part.Fill(net)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// UseTiny lets a tiny autoencoder decode: that of a path, see [openTiny], or for an empty
// one the part [TinyPart] of the model's folder. It returns a [SettingError] for one of
// other latents.
func (m *Model) UseTiny(path string) error {
	if path == "" {
		path = filepath.Join(singlefile.Beside(m.Path), TinyPart)
		if _, err := os.Stat(path); m.Codec.Tiny != nil && errors.Is(err, fs.ErrNotExist) {
			return nil // the model's own autoencoder is a tiny one
		}
	}
	net, err := openTiny(path)
	if err != nil {
		return err
	}
	channels, _ := m.Codec.Channels()
	if c := net.Config(); c.LatentChannels != channels || c.Step() != m.Codec.stride() {
		return &SettingError{Where: path, Name: "latents", Value: fmt.Sprintf("%d channels, one for %d pixels each way", c.LatentChannels, c.Step()),
			Want: fmt.Sprintf("those of the model, %d and %d", channels, m.Codec.stride())}
	}
	m.Codec.Tiny = net
	return nil
}

// openTinyFiles reads the files of the author.
func openTinyFiles(path string) (*nn.AutoencoderTiny, error) {
	sd, err := modelfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer sd.Close()
	config, err := tinyOf(sd)
	if err != nil {
		return nil, &modelfile.Error{Path: path, Reason: "holds no tiny decoder", Err: err}
	}
	net, err := nn.NewAutoencoderTiny(config)
	if err != nil {
		return nil, err
	}
	if err := fillTiny(net.Decoder, path, sd, "decoder.layers.", -1); err != nil {
		return nil, err
	}
	other := filepath.Join(filepath.Dir(path), strings.Replace(filepath.Base(path), "decoder", "encoder", 1))
	encoder, err := modelfile.Open(other)
	if other == path || errors.Is(err, fs.ErrNotExist) {
		return net, nil
	}
	if err != nil {
		return nil, err
	}
	defer encoder.Close()
	return net, fillTiny(net.Encoder, other, encoder, "encoder.layers.", 0)
}

// fillTiny gives half a network the tensors of a file, whose numbers are shifted.
func fillTiny(half *nn.Map, path string, sd *weights.StateDict, prefix string, shift int) error {
	var keys weights.KeyMap
	for _, t := range sd.Tensors() {
		if n, rest, ok := numbered(t.Name); ok {
			keys = append(keys, weights.Rename(t.Name, prefix+strconv.Itoa(n+shift)+"."+rest))
		}
	}
	var targets []weights.Target
	for _, p := range half.Params() {
		p.Data = make([]float32, p.Shape.Size())
		targets = append(targets, weights.Target{Name: p.Name, Shape: p.Shape, Data: p.Data})
	}
	if err := weights.Load(targets, sd, weights.LoadOptions{Keys: keys}); err != nil {
		return &modelfile.Error{Path: path, Reason: "its weights do not fit", Err: err}
	}
	half.Refresh()
	return nil
}

// numbered divides a name such as 3.conv.0.weight after its number.
func numbered(name string) (n int, rest string, ok bool) {
	first, rest, ok := strings.Cut(name, ".")
	n, err := strconv.Atoi(first)
	return n, rest, ok && err == nil && n >= 0
}

// tinyOf reads the sizes of a network off the tensors of its decoder.
func tinyOf(sd *weights.StateDict) (c nn.AutoencoderTinyConfig, err error) {
	layers := map[int][]int{} // shape of the convolution, nil for a block
	for _, t := range sd.Tensors() {
		n, rest, ok := numbered(t.Name)
		if ok && rest == "weight" && len(t.Shape) == 4 {
			layers[n] = t.Shape
		} else if ok && rest == "conv.0.weight" {
			layers[n] = nil
		}
	}
	var numbers []int
	for n := range layers {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	if len(numbers) < 3 || numbers[0] != 1 || layers[1] == nil || layers[numbers[len(numbers)-1]] == nil {
		return c, errors.New("want the tensors 1.weight, 3.conv.0.weight … of taesd_decoder")
	}
	c = nn.AutoencoderTinyConfig{InChannels: 3, OutChannels: layers[numbers[len(numbers)-1]][0], LatentChannels: layers[1][1],
		EncoderWidth: layers[1][0], DecoderWidth: layers[1][0], ScalingFactor: 1}
	blocks := 0
	for _, n := range numbers[1:] {
		if layers[n] == nil {
			blocks++
			continue
		}
		c.DecoderBlocks = append(c.DecoderBlocks, blocks)
		blocks = 0
	}
	c.EncoderBlocks = slices.Clone(c.DecoderBlocks)
	slices.Reverse(c.EncoderBlocks)
	return c, nil
}
