package load

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// patience is how long the service waits for one that does not ask.
const patience = 5 * time.Second

// flood is what became of connections.
type flood struct {
	Told   int            // 503 and when to come back
	Silent int            // the service waits for a request, or has done so for all of its patience
	Failed map[string]int // not open, or closed without a word: how many by the reason
}

// add adds what became of others.
func (f *flood) add(other flood) {
	f.Told, f.Silent = f.Told+other.Told, f.Silent+other.Silent
	for why, n := range other.Failed {
		f.failed(why, n)
	}
}

func (f *flood) failed(why string, n int) {
	if f.Failed == nil {
		f.Failed = map[string]int{}
	}
	f.Failed[why] += n
}

// count adds a connection that was opened at a time, said so much, and then gave an error.
func (f *flood) count(began time.Time, said []byte, err error) {
	switch {
	case bytes.Contains(said, []byte("503")) && bytes.Contains(said, []byte("Retry-After")):
		f.Told++
	case errors.Is(err, os.ErrDeadlineExceeded):
		f.Silent++
	case errors.Is(err, io.EOF) && len(said) == 0 && time.Since(began) >= patience: // this process is late: the service has waited
		f.Silent++
	default:
		reason := err
		var op *net.OpError
		if errors.As(err, &op) {
			reason = op.Err // without addresses
		}
		f.failed(fmt.Sprintf("%v behind %d bytes", reason, len(said)), 1)
	}
}

// openAll opens connections and keeps them.
func openAll(n int, to, from string) (all []net.Conn, f flood) {
	var mu sync.Mutex
	var opening sync.WaitGroup
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: time.Minute}
	work := make(chan struct{}, n)
	for range n {
		work <- struct{}{}
	}
	close(work)
	for range 1024 {
		opening.Go(func() {
			for range work {
				began, got, said := time.Now(), 0, make([]byte, 512)
				c, err := d.Dial("tcp", to)
				if err == nil {
					_ = c.SetReadDeadline(time.Now().Add(1500 * time.Millisecond))
					got, err = c.Read(said)
				}
				mu.Lock()
				if c != nil {
					all = append(all, c)
				}
				f.count(began, said[:got], err)
				mu.Unlock()
			}
		})
	}
	opening.Wait()
	return all, f
}

// floodVariable tells the test binary to open connections: so many, to a place, from an address of this machine.
const floodVariable = "PCD_TEST_FLOOD"

func TestMain(m *testing.M) {
	if line := os.Getenv(floodVariable); line != "" {
		var n int
		var to, from string
		if _, err := fmt.Sscan(line, &n, &to, &from); err != nil {
			panic(err)
		}
		all, f := openAll(n, to, from)
		_ = json.NewEncoder(os.Stdout).Encode(f)
		_, _ = io.Copy(io.Discard, os.Stdin) // all stay open for as long as the test wants
		for _, c := range all {
			_ = c.Close()
		}
		return
	}
	code := m.Run()
	if folder != "" {
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

// flooders are processes that keep connections open.
type flooders struct {
	processes []*exec.Cmd
	open      []io.Closer
}

// perProcess is how many connections a process opens, which may have 20 000 files here.
const perProcess = 16000

// flooding opens so many connections at a place, and returns what became of them. They are open until the processes are ended.
func flooding(t *testing.T, n int, place string) (f flooders, all flood) {
	var mu sync.Mutex
	var opening sync.WaitGroup
	for k := 0; k*perProcess < n; k++ {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s 127.0.0.%d", floodVariable, min(perProcess, n-k*perProcess), place, k+2))
		in, err := c.StdinPipe()
		out, err2 := c.StdoutPipe()
		if err := cmp.Or(err, err2, c.Start()); err != nil {
			t.Fatal(err)
		}
		f.processes, f.open = append(f.processes, c), append(f.open, in)
		opening.Go(func() {
			var one flood
			if err := json.NewDecoder(out).Decode(&one); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			all.add(one)
		})
	}
	opening.Wait()
	return f, all
}

// end closes all connections.
func (f flooders) end() {
	for i, c := range f.processes {
		_ = f.open[i].Close()
		_ = c.Wait()
	}
}
