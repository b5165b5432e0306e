package nnbench

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"

	"github.com/go-pcd/pcd/nn"
)

// The script is its parts one after the other.
var (
	//go:embed peer/build.py
	peerBuild string
	//go:embed peer/sequences.py
	peerSequences string
	//go:embed peer/images.py
	peerImages string
	//go:embed peer/policies.py
	peerPolicies string
	//go:embed peer/serve.py
	peerServe string
)

const torchTitle = "PyTorch"

// torch is a Python process with the networks in PyTorch.
type torch struct {
	program
	build Build
}

// threadVariables are what libraries of matrix products read when they are loaded. What
// PyTorch sets later reaches OpenMP and MKL only.
var threadVariables = []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"}

// startTorch starts a Python interpreter on the script, which says first what it is.
func startTorch(ctx context.Context, command string, threads int) (*torch, error) {
	t := &torch{program: program{name: torchTitle, remedy: "install it or choose another interpreter"}, build: Build{Python: command}}
	var env []string
	for _, v := range threadVariables {
		env = append(env, fmt.Sprintf("%s=%d", v, threads))
	}
	script := peerBuild + peerSequences + peerImages + peerPolicies + peerServe
	return t, t.start(ctx, &t.build, func() bool { return t.build.Torch != "" }, env, command, "-c", script, strconv.Itoa(threads))
}

func (t *torch) title() string   { return t.name }
func (t *torch) version() string { return t.build.Torch }

// has is true but of pictures from noise, which are samplers of ours as much as networks.
func (t *torch) has(c Case) bool { return !c.sampled() }

// torchRequest and torchReply are the lines that the script reads and writes.
type torchRequest struct {
	Network string `json:"network"`
	Dims    []int  `json:"dims"`
	Op      string `json:"op"`
	Batch   int    `json:"batch"`
	Repeat  int    `json:"repeat"`
	Export  string `json:"export,omitempty"` // file to write the network to, instead of running it
}

type torchReply struct {
	times

	// Of the network, to see that it is the same.
	Parameters   int `json:"parameters"`
	MultiplyAdds int `json:"multiply_adds"` // of a forward pass for one sample; 0 is not counted

	Inputs []onnxInput `json:"inputs"` // of a file that was written
}

func (t *torch) measure(ctx context.Context, s *subject, c Case, repeat int) (times, error) {
	reply, err := t.request(ctx, s, c, repeat, "")
	return reply.times, err
}

// export writes the network of a case as a file for ONNX Runtime and returns its inputs.
func (t *torch) export(ctx context.Context, s *subject, c Case, path string) ([]onnxInput, error) {
	reply, err := t.request(ctx, s, c, 0, path)
	return reply.Inputs, err
}

func (t *torch) request(ctx context.Context, s *subject, c Case, repeat int, export string) (reply torchReply, err error) {
	kind, dims, err := parse(c.Network)
	if err != nil {
		return reply, err
	}
	answered := func() bool { return reply.MS > 0 || export != "" && len(reply.Inputs) > 0 }
	if err := t.ask(ctx, torchRequest{kind, dims, c.Op.String(), c.Batch, repeat, export}, &reply, answered); err != nil {
		return reply, err
	}
	if reply.Parameters != s.parameters() || reply.MultiplyAdds != 0 && reply.MultiplyAdds != s.multiplyAdds {
		return reply, t.refuse(fmt.Sprintf("its %s has %d parameters and %d multiply-adds, ours %d and %d: the script is not of this version",
			c.Network, reply.Parameters, reply.MultiplyAdds, s.parameters(), s.multiplyAdds))
	}
	return reply, nil
}

// forwardOnly tells whether a case is a pass of one network.
func (c Case) forwardOnly() bool { return c.Op == nn.Forward && !c.sampled() }
