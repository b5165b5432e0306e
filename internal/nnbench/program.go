package nnbench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// PeerError says why a program cannot be measured beside ours.
type PeerError struct {
	Program string // PyTorch or ONNX Runtime
	Command string // the interpreter that was asked
	Detail  string // what it said
	Remedy  string
}

func (e *PeerError) Error() string {
	return fmt.Sprintf("nnbench: no %s to compare with: %s: %s; %s", e.Program, e.Command, e.Detail, e.Remedy)
}

// program is another process, which answers lines of JSON by lines of JSON. Its first line
// says what it is.
type program struct {
	name, remedy string
	cmd          *exec.Cmd
	in           io.WriteCloser
	out          *bufio.Scanner
	stderr       bytes.Buffer
}

// longestLine bounds what a program says at a time.
const longestLine = 1 << 20

// start starts the program and reads its first line into hello, which must then satisfy ok.
func (p *program) start(ctx context.Context, hello any, ok func() bool, env []string, command string, args ...string) error {
	p.cmd = exec.CommandContext(ctx, command, args...)
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), env...), &p.stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.out = bufio.NewScanner(out)
	p.out.Buffer(nil, longestLine)
	if err := p.cmd.Start(); err != nil {
		return p.refuse(err.Error())
	}
	if !p.out.Scan() {
		return p.failed(ctx)
	}
	if err := json.Unmarshal(p.out.Bytes(), hello); err != nil || !ok() {
		p.close()
		return p.unexpected()
	}
	return nil
}

// ask sends a request and reads the reply, which must then satisfy ok.
func (p *program) ask(ctx context.Context, request, reply any, ok func() bool) error {
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil || !p.out.Scan() {
		return p.failed(ctx)
	}
	if err := json.Unmarshal(p.out.Bytes(), reply); err != nil || !ok() {
		return p.unexpected()
	}
	return nil
}

// failed returns the last line that the program complained with, or that it was ended.
func (p *program) failed(ctx context.Context) error {
	p.close()
	if err := ctx.Err(); err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
	return p.refuse(lines[len(lines)-1])
}

func (p *program) unexpected() error {
	return p.refuse(fmt.Sprintf("unexpected answer %q", p.out.Text()))
}

func (p *program) refuse(detail string) error {
	return &PeerError{Program: p.name, Command: p.cmd.Path, Detail: detail, Remedy: p.remedy}
}

func (p *program) close() {
	p.in.Close()
	_ = p.cmd.Wait() // it ends with its input; how does not matter
}
