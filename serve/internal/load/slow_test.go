package load

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var slowly = flag.Bool("slow", false, "ask slowly, and read slowly or never")

// dripping is what slow clients send before the rest, a byte at a time.
var dripping = map[string]string{
	"headers": "POST /pcd.v1.PlanService/Plan HTTP/1.1\r\nHost: localhost\r\nX-",
	"body":    "POST /pcd.v1.PlanService/Plan HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{",
	"http2":   "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}

// Who sends a byte now and then is cut off; who never reads what it asked for is, too, and holds nobody up. Others are
// answered meanwhile.
func TestSlow(t *testing.T) {
	if !*slowly {
		t.Skip("takes a minute: ask for it with -slow")
	}
	s := startWithin(t, 2<<30)
	place := strings.TrimPrefix(s.url, "http://")
	var all sync.WaitGroup
	var mu sync.Mutex
	ended := map[string][]time.Duration{}
	for kind, first := range dripping {
		for range 300 {
			all.Go(func() {
				took := drip(t, place, first)
				mu.Lock()
				defer mu.Unlock()
				ended[kind] = append(ended[kind], took)
			})
		}
	}
	all.Go(func() {
		took := neverRead(t, s.url, place)
		mu.Lock()
		defer mu.Unlock()
		ended["a stream that is not read"] = append(ended["a stream that is not read"], took)
	})
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	answers, longest := 0, time.Duration(0)
	for waiting := true; waiting; {
		took, again := askUntilAnswered(t, s.url)
		if longest = max(longest, took); again > 0 {
			t.Errorf("somebody else was told to come back")
		}
		answers++
		select {
		case <-done:
			waiting = false
		case <-time.After(100 * time.Millisecond):
		}
	}
	for kind, took := range ended {
		most := time.Duration(0)
		for _, d := range took {
			most = max(most, d)
		}
		t.Logf("%s: %d were cut off, after %v at most", kind, len(took), most.Round(time.Second/10))
	}
	t.Logf("%d answers to others meanwhile, %v at most; %d MiB", answers, longest.Round(time.Millisecond), s.memory()>>20)
}

// drip sends a byte now and then, and returns when it was cut off.
func drip(t *testing.T, place, first string) time.Duration {
	c, err := net.Dial("tcp", place)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer c.Close()
	began := time.Now()
	_, err = c.Write([]byte(first))
	for err == nil && time.Since(began) < 3*time.Minute {
		_ = c.SetReadDeadline(time.Now().Add(time.Second))
		if _, err = c.Read(make([]byte, 4096)); errors.Is(err, os.ErrDeadlineExceeded) {
			_, err = c.Write([]byte("a"))
		}
	}
	if err == nil {
		t.Errorf("%.20q is waited for still", first)
	}
	return time.Since(began)
}

// neverRead watches a session without reading, while it is updated again and again, and returns when it was cut off.
func neverRead(t *testing.T, url, place string) time.Duration {
	var now session
	if status, err := call(http.DefaultClient, url, "", "SessionService/OpenSession", map[string]any{"request": map[string]any{"scene": hall(3)}}, &now); err != nil || status != http.StatusOK {
		t.Errorf("opening: %d %v", status, err)
		return 0
	}
	c, err := (&net.Dialer{Control: smallBuffer}).Dial("tcp", place)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer c.Close()
	message, _ := json.Marshal(map[string]any{"id": now.ID})
	body := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
	fmt.Fprintf(c, "POST /pcd.v1.SessionService/Watch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/connect+json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	began := time.Now()
	for time.Since(began) < 30*time.Second {
		m := map[string]any{"id": now.ID, "seconds": 0.001}
		asked := time.Now()
		if status, err := call(http.DefaultClient, url, "", "SessionService/Update", m, nil); err != nil || status != http.StatusOK || time.Since(asked) > 10*time.Second {
			t.Errorf("an update beside it: %d %v after %v", status, err, time.Since(asked))
		}
		time.Sleep(20 * time.Millisecond)
	}
	// What has arrived is read now: the stream has ended long before what was sent.
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	got, err := io.ReadAll(bufio.NewReader(c))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the stream goes on after %d bytes that nobody had read", len(got))
	}
	if len(got) < 10_000 {
		t.Errorf("only %d bytes were sent: %v", len(got), err)
	}
	return time.Since(began)
}

// smallBuffer leaves little room for what is not read.
func smallBuffer(_, _ string, raw syscall.RawConn) error {
	var failed error
	err := raw.Control(func(fd uintptr) { failed = setReceiveBuffer(fd, 4096) })
	return errors.Join(err, failed)
}
