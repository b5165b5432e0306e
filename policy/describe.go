package policy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/weights"
)

// Description is what a folder says about its policy, and what its files hold.
type Description struct {
	Path string `json:"path"`
	Config
	ConditionSize int            `json:"condition_size"` // numbers that the U-Net is told
	Parameters    int            `json:"parameters"`     // of all networks
	UNet          int            `json:"unet_parameters"`
	Encoders      int            `json:"encoders"`
	Tensors       int            `json:"tensors"`
	FileBytes     int64          `json:"file_bytes"`
	Types         map[string]int `json:"types"` // tensors by element type
}

// Inspect describes a folder and checks all of it but the numbers of the weights, which it does
// not read.
func Inspect(dir string) (*Description, error) {
	f, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	defer f.close()
	if err := f.normalizers(&Policy{}); err != nil {
		return nil, err
	}
	encoders, err := f.compare(Options{})
	if err != nil {
		return nil, err
	}
	d := &Description{Path: filepath.Clean(dir), Config: *f.config, ConditionSize: f.config.conditionSize(), Encoders: len(encoders), Types: map[string]int{}}
	d.FileBytes = f.weights.FileBytes()
	for _, t := range f.weights.Tensors() {
		d.Tensors++
		d.Types[t.DType.String()]++
	}
	if d.UNet, err = f.config.unetParameters(); err != nil {
		return nil, err
	}
	d.Parameters = d.UNet
	if len(encoders) > 0 {
		n, err := f.config.encoderParameters()
		if err != nil {
			return nil, err
		}
		d.Parameters += len(encoders) * n
	}
	return d, nil
}

// unetParameters returns how many parameters the U-Net has.
func (c *Config) unetParameters() (int, error) {
	layout, err := c.unet(0).Layout()
	return elements(layout), err
}

// encoderParameters returns how many parameters an encoder has.
func (c *Config) encoderParameters() (int, error) {
	layout, err := c.encoder(0).Layout()
	layout = slices.DeleteFunc(layout, func(s weights.Spec) bool {
		return s.Name == "pool.pos_grid" || strings.HasSuffix(s.Name, ".running_mean") || strings.HasSuffix(s.Name, ".running_var")
	})
	return elements(layout), err
}

func elements(layout []weights.Spec) (n int) {
	for _, s := range layout {
		n += Feature{Shape: s.Shape}.Size()
	}
	return n
}

// IsFolder reports whether a folder says of itself that it is one of a diffusion policy.
func IsFolder(dir string) bool {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return false
	}
	raw, err := regular.ReadFile(filepath.Join(dir, configFile), maxDocument)
	if err != nil {
		return false
	}
	var keys struct {
		Type        string
		InputShapes json.RawMessage `json:"input_shapes"`
		Inputs      json.RawMessage `json:"input_features"`
	}
	return json.Unmarshal(raw, &keys) == nil && (keys.Inputs != nil || keys.InputShapes != nil)
}
