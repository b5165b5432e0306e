package nnbench

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// The script is its parts one after the other.
var (
	//go:embed peer/sequences.py
	peerSequences string
	//go:embed peer/images.py
	peerImages string
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
	command string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	stderr  bytes.Buffer
}

// startPeer starts a Python interpreter on the script.
func startPeer(ctx context.Context, command string) (*peer, error) {
	p := &peer{command: command, cmd: exec.CommandContext(ctx, command, "-c", peerSequences+peerImages+peerServe)}
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
	return p, nil
}

// peerRequest and peerReply are the lines that the script reads and writes.
type peerRequest struct {
	Network string `json:"network"`
	Dims    []int  `json:"dims"`
	Op      string `json:"op"`
	Batch   int    `json:"batch"`
	Threads int    `json:"threads"`
	Repeat  int    `json:"repeat"`
}

type peerReply struct {
	MS    float64 `json:"ms"`
	CPUMS float64 `json:"cpu_ms"`
	Torch string  `json:"torch"`

	// Of the network, to see that it is the same.
	Parameters   int `json:"parameters"`
	MultiplyAdds int `json:"multiply_adds"` // of a forward pass for one sample; 0 is not counted
}

// measure asks for the fastest of some runs of a case.
func (p *peer) measure(s *subject, c Case, o Options) (peerReply, error) {
	kind, dims, err := parse(c.Network)
	if err != nil {
		return peerReply{}, err
	}
	line, err := json.Marshal(peerRequest{kind, dims, c.Op.String(), c.Batch, o.Threads, o.Repeat})
	if err != nil {
		return peerReply{}, err
	}
	var reply peerReply
	if _, err := p.in.Write(append(line, '\n')); err != nil || !p.out.Scan() {
		return reply, p.failed()
	}
	if err := json.Unmarshal(p.out.Bytes(), &reply); err != nil || reply.MS <= 0 {
		return reply, &PeerError{p.command, fmt.Sprintf("unexpected answer %q", p.out.Text())}
	}
	if reply.Parameters != s.parameters() || reply.MultiplyAdds != 0 && reply.MultiplyAdds != s.multiplyAdds {
		return reply, &PeerError{p.command, fmt.Sprintf("its %s has %d parameters and %d multiply-adds, ours %d and %d: the script is not of this version",
			c.Network, reply.Parameters, reply.MultiplyAdds, s.parameters(), s.multiplyAdds)}
	}
	return reply, nil
}

// failed returns the last line that the interpreter complained with.
func (p *peer) failed() error {
	p.close()
	lines := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
	return &PeerError{p.command, lines[len(lines)-1]}
}

func (p *peer) close() {
	p.in.Close()
	_ = p.cmd.Wait() // the script ends with its input; how does not matter
}
