package nnbench

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed peer/onnx.js
var onnxScript string

const (
	onnxTitle   = "ONNX Runtime"
	nodeCommand = "node"
)

// onnx is a process of Node.js with ONNX Runtime, which runs the networks as PyTorch writes
// them: forward only.
type onnx struct {
	program
	torch   *torch
	release string
	folder  string // of the file of the network that is measured
	written Case   // that is in it
	inputs  []onnxInput
}

// onnxInput is an input of a file.
type onnxInput struct {
	Name  string `json:"name"`
	Type  string `json:"type"` // float32 or int64
	Shape []int  `json:"shape"`
}

// startONNX starts Node.js with the package onnxruntime-node of a folder that npm has
// installed it in.
func startONNX(ctx context.Context, t *torch, modules string, threads int) (*onnx, error) {
	r := &onnx{program: program{name: onnxTitle, remedy: "npm install onnxruntime-node@1.24.1 in a folder, and name it"}, torch: t}
	modules, err := filepath.Abs(modules)
	if err != nil {
		return nil, err
	}
	var hello struct{ Version string }
	if err := r.start(ctx, &hello, func() bool { return hello.Version != "" }, nil, nodeCommand, "-e", onnxScript, modules, strconv.Itoa(threads)); err != nil {
		return nil, err
	}
	r.release = hello.Version
	if r.folder, err = os.MkdirTemp("", "pcd-onnx-"); err != nil {
		r.program.close()
		return nil, err
	}
	return r, nil
}

func (r *onnx) title() string   { return r.name }
func (r *onnx) version() string { return r.release }

// has is true of passes of one network: whole plans are loops around them.
func (r *onnx) has(c Case) bool { return c.forwardOnly() && !strings.Contains(c.Network, "-plan-") }

func (r *onnx) measure(ctx context.Context, s *subject, c Case, repeat int) (t times, err error) {
	path := filepath.Join(r.folder, "model.onnx")
	if r.written != c {
		if err := r.clear(); err != nil {
			return t, err
		}
		if r.inputs, err = r.torch.export(ctx, s, c, path); err != nil {
			return t, err
		}
		r.written = c
	}
	request := struct {
		Path   string      `json:"path"`
		Case   string      `json:"case"` // a new one is a file that was written anew
		Inputs []onnxInput `json:"inputs"`
		Repeat int         `json:"repeat"`
	}{path, c.Network + "/" + strconv.Itoa(c.Batch), r.inputs, repeat}
	return t, r.ask(ctx, request, &t, func() bool { return t.MS > 0 })
}

// clear removes the files of the last network, which may have gigabytes.
func (r *onnx) clear() error {
	if err := os.RemoveAll(r.folder); err != nil {
		return err
	}
	return os.Mkdir(r.folder, 0o700)
}

func (r *onnx) close() {
	r.program.close()
	_ = os.RemoveAll(r.folder) // a temporary folder
}
