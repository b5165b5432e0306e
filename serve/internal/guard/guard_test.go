package guard

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tokenFile writes a file of tokens.
func tokenFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTokens(t *testing.T) {
	tokens, err := ReadTokens(tokenFile(t, "# who may ask\nfleet 0123456789abcdef\n\nboard  fedcba9876543210\n"))
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{
		"Bearer 0123456789abcdef": "fleet", "bearer fedcba9876543210": "board",
		"Basic 0123456789abcdef": "", "Bearer 0123456789abcde": "", "Bearer": "", "": "", "Bearer 0123456789abcdef fedcba9876543210": "",
	} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header.Set("Authorization", header)
		name, ok := tokens.Client(r)
		if ok != (want != "") || ok && name != want {
			t.Errorf("%q is of %q, %v, want %q", header, name, ok, want)
		}
	}
}

func TestBrokenTokenFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "has no token",
		"fleet short":                 "line 1: the token has 5 characters",
		"# x\nfleet":                  "line 2: want the name",
		"fleet 0123456789abcdef more": "line 1: want the name",
		strings.Repeat("a 0123456789abcdef\n", 2): "line 2: \"a\" has a token",
	} {
		_, err := ReadTokens(tokenFile(t, text))
		var broken *TokenError
		if !errors.As(err, &broken) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := ReadTokens(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// one returns the address of a server for one connection at a time, and that connection. Who comes beside it has
// so much time to ask.
func one(t *testing.T, leave time.Duration) (address string, first net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") })}
	bounded := NewListener(l, 1, true)
	bounded.time = leave
	go server.Serve(bounded)
	t.Cleanup(func() { server.Close() })
	first = dial(t, l.Addr().String())
	if got := ask(first, 0); got != http.StatusOK {
		t.Fatalf("the first connection: %d", got)
	}
	return l.Addr().String(), first
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ask sends a request with a body of so many bytes, and returns the status of the answer, or 0.
func ask(c net.Conn, bytes int) int {
	if _, err := fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", bytes, strings.Repeat("x", bytes)); err != nil {
		return 0
	}
	return heard(c)
}

// heard returns the status of an answer that says when to come back, or of one that is none; 0 is no answer.
func heard(c net.Conn) int {
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode == http.StatusServiceUnavailable && (r.Header.Get("Retry-After") == "" || string(text) != "too many connections\n") {
		return 0
	}
	return r.StatusCode
}

// One connection too many is told to come back; when one ends there is room again.
func TestConnectionsAreBounded(t *testing.T) {
	address, first := one(t, time.Millisecond)
	if got := heard(dial(t, address)); got != http.StatusServiceUnavailable {
		t.Errorf("one that does not ask: %d, want it refused", got)
	}
	first.Close()
	for range 1000 {
		c := dial(t, address)
		got := ask(c, 0)
		c.Close()
		if got == http.StatusOK {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("there is no room after a connection has ended")
}

// Who asks before it reads can send all of its request, and reads the refusal behind it.
func TestRefusedAfterAsking(t *testing.T) {
	address, _ := one(t, time.Minute)
	for range 50 {
		if got := ask(dial(t, address), 1<<20); got != http.StatusServiceUnavailable {
			t.Fatalf("a request of a MiB: %d, want it refused", got)
		}
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for range 50 {
		r, err := client.Post("http://"+address, "text/plain", strings.NewReader("all"))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != http.StatusServiceUnavailable {
			t.Fatalf("a request of a client: %d, want it refused", r.StatusCode)
		}
	}
}

func TestOnlyLocal(t *testing.T) {
	h := OnlyLocal(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for host, want := range map[string]int{
		"localhost:8080": 200, "127.0.0.1": 200, "[::1]:8080": 200, "127.8.0.1:1": 200, "LocalHost:80": 200, "localhost.:80": 200,
		"example.com": 421, "localhost.example.com:80": 421, "10.0.0.1:80": 421, "": 421,
	} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%q: %d, want %d", host, w.Code, want)
		}
	}
	if !Loopback("127.0.0.1:80") || !Loopback("[::1]:0") || !Loopback("localhost:1") || Loopback(":80") || Loopback("0.0.0.0:80") || Loopback("nonsense") {
		t.Error("Loopback is wrong")
	}
}
