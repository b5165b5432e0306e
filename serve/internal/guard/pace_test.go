package guard

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// wires is a network of pipes, in which time passes only when everybody waits: a busy machine is not late.
type wires chan net.Conn

func (w wires) Accept() (net.Conn, error) {
	if c, ok := <-w; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (w wires) Close() error   { return nil }
func (w wires) Addr() net.Addr { return &net.IPAddr{} }

func (w wires) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	w <- there
	return here, nil
}

// Who does not send is cut off; who watches a long answer is not.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, network, ended := Pace{Read: time.Second, Write: time.Minute}, make(wires), make(chan error, 1)
		server := &http.Server{Handler: p.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				ended <- err
				return
			}
			for range 4 { // longer than may be read
				io.WriteString(w, "part ")
				http.NewResponseController(w).Flush()
				time.Sleep(p.Read * 6 / 10)
			}
			if err := r.Context().Err(); err != nil {
				io.WriteString(w, "ended")
			}
		}))}
		go server.Serve(network)
		client := &http.Client{Transport: &http.Transport{DialContext: network.dial, DisableKeepAlives: true}}
		r, err := client.Post("http://example.org", "text/plain", strings.NewReader("all"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		if err != nil || string(text) != "part part part part " {
			t.Errorf("a long answer: %q, %v", text, err)
		}
		slow, waiting := io.Pipe()
		go func() {
			if r, err := client.Post("http://example.org", "text/plain", slow); err == nil {
				r.Body.Close()
			}
		}()
		began := time.Now()
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) || err.Error() != "the request did not arrive within 1s" || time.Since(began) != p.Read {
			t.Errorf("who does not send: %v after %v, want the end of its time", err, time.Since(began))
		}
		waiting.Close()
		close(network)
		server.Close()
	})
}

// Who has no body to send reads for as long as it takes, and is there for what it asks next on the same connection.
func TestPaceWithoutBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, network := Pace{Read: time.Second, Write: time.Minute}, make(wires)
		var left []error
		server := &http.Server{Handler: p.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for range 3 {
				io.WriteString(w, "part ")
				http.NewResponseController(w).Flush()
				time.Sleep(p.Read)
			}
			left = append(left, r.Context().Err())
		}))}
		go server.Serve(network)
		client := &http.Client{Transport: &http.Transport{DialContext: network.dial}}
		for range 2 {
			r, err := client.Get("http://example.org")
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(r.Body); err != nil || string(text) != "part part part " {
				t.Errorf("a long answer: %q, %v", text, err)
			}
			r.Body.Close()
		}
		for i, err := range left {
			if err != nil {
				t.Errorf("request %d: %v, and its client was there", i, err)
			}
		}
		client.CloseIdleConnections()
		close(network)
		server.Close()
	})
}
