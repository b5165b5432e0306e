package nnbench

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
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

// PeerError says why the networks in PyTorch cannot be measured.
type PeerError struct {
	Command string // the Python that was asked
	Detail  string // what it said
}

func (e *PeerError) Error() string {
	return fmt.Sprintf("nnbench: no PyTorch to compare with: %s: %s; install it or choose another interpreter", e.Command, e.Detail)
}

// peer is a Python process with the networks in PyTorch.
type peer struct {
	build  Build
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr bytes.Buffer
}

// threadVariables are what libraries of matrix products read when they are loaded. What
// PyTorch sets later reaches OpenMP and MKL only.
var threadVariables = []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"}

// startPeer starts a Python interpreter on the script, which says first what it is.
func startPeer(ctx context.Context, command string, threads int) (*peer, error) {
	script := peerBuild + peerSequences + peerImages + peerPolicies + peerServe
	p := &peer{build: Build{Python: command}, cmd: exec.CommandContext(ctx, command, "-c", script, strconv.Itoa(threads))}
	p.cmd.Env = os.Environ()
	for _, v := range threadVariables {
		p.cmd.Env = append(p.cmd.Env, fmt.Sprintf("%s=%d", v, threads))
	}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(out)
	p.cmd.Stderr = &p.stderr
	if err := p.cmd.Start(); err != nil {
		return nil, &PeerError{command, err.Error()}
	}
	if !p.out.Scan() {
		return nil, p.failed(ctx)
	}
	if err := json.Unmarshal(p.out.Bytes(), &p.build); err != nil || p.build.Torch == "" {
		p.close()
		return nil, p.unexpected()
	}
	return p, nil
}

// peerRequest and peerReply are the lines that the script reads and writes.
type peerRequest struct {
	Network string `json:"network"`
	Dims    []int  `json:"dims"`
	Op      string `json:"op"`
	Batch   int    `json:"batch"`
	Repeat  int    `json:"repeat"`
}

type peerReply struct {
	MS    float64 `json:"ms"`
	CPUMS float64 `json:"cpu_ms"`

	// Of the network, to see that it is the same.
	Parameters   int `json:"parameters"`
	MultiplyAdds int `json:"multiply_adds"` // of a forward pass for one sample; 0 is not counted
}

// measure asks for the fastest of some runs of a case.
func (p *peer) measure(ctx context.Context, s *subject, c Case, repeat int) (peerReply, error) {
	kind, dims, err := parse(c.Network)
	if err != nil {
		return peerReply{}, err
	}
	line, err := json.Marshal(peerRequest{kind, dims, c.Op.String(), c.Batch, repeat})
	if err != nil {
		return peerReply{}, err
	}
	var reply peerReply
	if _, err := p.in.Write(append(line, '\n')); err != nil || !p.out.Scan() {
		return reply, p.failed(ctx)
	}
	if err := json.Unmarshal(p.out.Bytes(), &reply); err != nil || reply.MS <= 0 {
		return reply, p.unexpected()
	}
	if reply.Parameters != s.parameters() || reply.MultiplyAdds != 0 && reply.MultiplyAdds != s.multiplyAdds {
		return reply, &PeerError{p.build.Python, fmt.Sprintf("its %s has %d parameters and %d multiply-adds, ours %d and %d: the script is not of this version",
			c.Network, reply.Parameters, reply.MultiplyAdds, s.parameters(), s.multiplyAdds)}
	}
	return reply, nil
}

// failed returns the last line that the interpreter complained with, or that it was ended.
func (p *peer) failed(ctx context.Context) error {
	p.close()
	if err := ctx.Err(); err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
	return &PeerError{p.build.Python, lines[len(lines)-1]}
}

func (p *peer) unexpected() error {
	return &PeerError{p.build.Python, fmt.Sprintf("unexpected answer %q", p.out.Text())}
}

func (p *peer) close() {
	p.in.Close()
	_ = p.cmd.Wait() // the script ends with its input; how does not matter
}
