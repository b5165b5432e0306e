package download

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// network is one of pipes, in which time passes when everybody waits.
type network chan net.Conn

func (n network) Accept() (net.Conn, error) {
	if c, ok := <-n; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (n network) Close() error   { return nil }
func (n network) Addr() net.Addr { return &net.IPAddr{} }

func (n network) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	n <- there
	return here, nil
}

// with runs a test with a server that answers by a function.
func with(t *testing.T, answer http.HandlerFunc, test func(t *testing.T, to dial)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := make(network)
		var answers sync.WaitGroup
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answers.Add(1)
			defer answers.Done()
			answer(w, r)
		})}
		go server.Serve(n) //nolint:errcheck // it ends with the network
		test(t, n.dial)
		close(n)
		server.Close()
		synctest.Wait() // for answers that begin
		answers.Wait()
	})
}

// send writes n bytes, at once.
func send(w io.Writer, n int) {
	_, _ = w.Write(make([]byte, n))
	w.(http.Flusher).Flush()
}

const address = "http://example.org/archive.zip"

func TestCopy(t *testing.T) {
	want := bytes.Repeat([]byte("text"), 1000)
	with(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(want) }, func(t *testing.T, to dial) {
		var got bytes.Buffer
		var last int64
		err := Patient(int64(len(want))).copy(t.Context(), &got, address, func(done, _ int64) { last = done }, to)
		if err != nil || !bytes.Equal(got.Bytes(), want) || last != int64(len(want)) {
			t.Errorf("copy = %d bytes, told of %d, %v", got.Len(), last, err)
		}
	})
}

// A server that is silent, at any step, is given up with a word on what to do.
func TestSilentServers(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"before the header": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "no answer within 1m0s"},
		"after the header": {func(w http.ResponseWriter, r *http.Request) {
			send(w, 0)
			<-r.Context().Done()
		}, "within 1m0s, after 0"},
		"in the middle": {func(w http.ResponseWriter, r *http.Request) {
			send(w, 500_000)
			<-r.Context().Done()
		}, "within 1m0s, after 500000"},
		"drop by drop": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				send(w, 1)
				time.Sleep(time.Second)
			}
		}, "less than 61440 bytes arrived within 1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, c.answer, func(t *testing.T, to dial) {
				err := Patient(1<<20).copy(t.Context(), io.Discard, address, nil, to)
				var e *Error
				if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "another program") {
					t.Errorf("copy = %v, want an Error that says %q", err, c.want)
				}
			})
		})
	}
}

// So is one that takes a call and says nothing, and one that nobody takes.
func TestNobodyAnswers(t *testing.T) {
	for name, to := range map[string]dial{
		"no handshake": func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go io.Copy(io.Discard, there) //nolint:errcheck // it ends with the connection
			return here, nil
		},
		"no connection": func(ctx context.Context, _, _ string) (net.Conn, error) {
			ctx, stop := context.WithTimeout(ctx, Patient(1).Connect) // as a dialer does
			defer stop()
			<-ctx.Done()
			return nil, &net.OpError{Op: "dial", Err: ctx.Err()}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				err := Patient(1<<20).copy(t.Context(), io.Discard, "https://example.org", nil, to)
				var e *Error
				if !errors.As(err, &e) || !strings.Contains(err.Error(), "no answer within") || time.Since(begin) != Patient(1).Connect {
					t.Errorf("copy = %v after %v, want an Error after %v", err, time.Since(begin), Patient(1).Connect)
				}
			})
		})
	}
}

// A slow server that makes progress is not given up.
func TestProgressGivesTime(t *testing.T) {
	slow := func(w http.ResponseWriter, _ *http.Request) {
		for range 30 {
			send(w, 60<<10)
			time.Sleep(50 * time.Second)
		}
	}
	with(t, slow, func(t *testing.T, to dial) {
		begin := time.Now()
		var got bytes.Buffer
		err := Patient(2<<20).copy(t.Context(), &got, address, nil, to)
		if took := time.Since(begin); err != nil || got.Len() != 30*60<<10 || took < 20*time.Minute {
			t.Errorf("copy = %d bytes in %v, %v", got.Len(), took, err)
		}
	})
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"too long": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1001)) }, "more than the 1000 bytes"},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				send(w, 100)
			}
		}, "more than the 1000 bytes"},
		"cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(make([]byte, 10))
		}, "failed after 10 bytes"},
		"missing": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, "404"},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, c.answer, func(t *testing.T, to dial) {
				var got bytes.Buffer
				err := Patient(1000).copy(t.Context(), &got, address, nil, to)
				var e *Error
				if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || got.Len() > 1001 {
					t.Errorf("copy = %d bytes, %v, want an Error that says %q", got.Len(), err, c.want)
				}
			})
		})
	}
	var e *Error
	if err := Copy(t.Context(), io.Discard, "http://a b", Patient(1), nil); !errors.As(err, &e) {
		t.Errorf("Copy of no address = %v, want an Error", err)
	}
}

// full is a disk without room.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// What the caller's side does is told as it is.
func TestOwnErrors(t *testing.T) {
	half := func(w http.ResponseWriter, r *http.Request) {
		send(w, 100)
		<-r.Context().Done()
	}
	with(t, half, func(t *testing.T, to dial) {
		if err := Patient(1000).copy(t.Context(), full{}, address, nil, to); err != errFull {
			t.Errorf("copy to a full disk = %v, want %v", err, errFull)
		}
		ctx, cancel := context.WithCancel(t.Context())
		err := Patient(1000).copy(ctx, io.Discard, address, func(int64, int64) { cancel() }, to)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("an interrupted copy = %v, want %v", err, context.Canceled)
		}
	})
}
