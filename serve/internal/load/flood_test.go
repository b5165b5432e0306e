package load

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

var flooded = flag.Int("flood", 0, "connections that are opened at a time")

// perProcess is how many connections a process opens, which may have 20 000 files here.
const perProcess = 16000

// flood is what became of the connections of a process.
type flood struct {
	Told   int // 503 and when to come back
	Silent int // open: the service waits for a request
	Failed int // not open, or closed without a word
	Error  string
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
	os.Exit(m.Run())
}

// openAll opens connections and keeps them.
func openAll(n int, to, from string) (all []net.Conn, f flood) {
	var mu sync.Mutex
	var opening sync.WaitGroup
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 20 * time.Second}
	work := make(chan struct{}, n)
	for range n {
		work <- struct{}{}
	}
	close(work)
	for range 256 {
		opening.Go(func() {
			for range work {
				c, err := d.Dial("tcp", to)
				said := make([]byte, 512)
				got := 0
				if err == nil {
					_ = c.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
					got, err = c.Read(said)
				}
				mu.Lock()
				if c != nil {
					all = append(all, c)
				}
				switch {
				case bytes.Contains(said[:got], []byte("503")) && bytes.Contains(said[:got], []byte("Retry-After")):
					f.Told++
				case errors.Is(err, os.ErrDeadlineExceeded):
					f.Silent++
				default:
					f.Failed, f.Error = f.Failed+1, fmt.Sprint(err)
				}
				mu.Unlock()
			}
		})
	}
	opening.Wait()
	return all, f
}

// A hundred thousand connections at a time are told to come back, in little memory, and a client that comes back
// as it is told gets its plans.
func TestFlood(t *testing.T) {
	if *flooded == 0 {
		t.Skip("takes a minute: ask for it with -flood 100000")
	}
	s := startWithin(t, 2<<30)
	place := strings.TrimPrefix(s.url, "http://")
	asked := make(chan struct{})
	told, longest, stop := 0, time.Duration(0), make(chan struct{})
	go func() {
		defer close(asked)
		for {
			select {
			case <-stop:
				return
			default:
			}
			took, again := askUntilAnswered(t, s.url)
			told, longest = told+again, max(longest, took)
			time.Sleep(50 * time.Millisecond)
		}
	}()
	var all flood
	var processes []*exec.Cmd
	var open []io.Closer
	var mu sync.Mutex
	var opening sync.WaitGroup
	for k := 0; k*perProcess < *flooded; k++ {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s 127.0.0.%d", floodVariable, min(perProcess, *flooded-k*perProcess), place, k+2))
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		processes, open = append(processes, c), append(open, in)
		opening.Go(func() {
			var f flood
			err := json.NewDecoder(out).Decode(&f)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			all.Told, all.Silent, all.Failed = all.Told+f.Told, all.Silent+f.Silent, all.Failed+f.Failed
			all.Error = cmp.Or(f.Error, all.Error)
		})
	}
	opening.Wait()
	memory, files := s.memory()>>20, s.files()
	close(stop)
	<-asked
	for i, c := range processes {
		_ = open[i].Close()
		_ = c.Wait()
	}
	t.Logf("%d connections open at a time: %d told to come back, %d waited for, %d without a word; the service had %d MiB and %d files; a client asked %d times again, %v at most for an answer",
		all.Told+all.Silent+all.Failed, all.Told, all.Silent, all.Failed, memory, files, told, longest.Round(time.Millisecond))
	if all.Failed > *flooded/1000 {
		t.Errorf("%d connections have ended without a word, for instance %s", all.Failed, all.Error)
	}
	if memory > 1024 {
		t.Errorf("the service took %d MiB", memory)
	}
	if took, again := askUntilAnswered(t, s.url); again > 0 {
		t.Errorf("afterwards it was told to come back %d times within %v", again, took)
	}
}

// askUntilAnswered asks for what there is until there is an answer, and returns how long that took, and how
// often it was told to come back.
func askUntilAnswered(t *testing.T, url string) (took time.Duration, again int) {
	began := time.Now()
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
	for ; ; again++ {
		status, err := call(c, url, "", "PlanService/Models", map[string]any{}, nil)
		switch {
		case err == nil && status == http.StatusOK:
			return time.Since(began), again
		case err == nil && status != http.StatusServiceUnavailable || time.Since(began) > time.Minute:
			t.Errorf("%d %v", status, err)
			return time.Since(began), again
		}
		time.Sleep(100 * time.Millisecond)
	}
}
