package guard

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// mostOfTest is the largest body of these tests.
const mostOfTest = 1 << 16

// bounded returns the address of a server that counts bodies, and refuses those that are too large.
func bounded(t *testing.T) string {
	t.Helper()
	s := Size{Most: mostOfTest, Refused: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		io.WriteString(w, "too large")
	})}
	h := s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		w.Header().Set("X-Counted", "yes")
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
		fmt.Fprint(w, n)
	}))
	server := httptest.NewServer(Pace{Read: time.Hour, Write: time.Hour}.Handler(h))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// answer reads the answer of a connection, for which nobody should have to wait for long.
func answer(t *testing.T, c net.Conn) (status int, text string) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	all, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if r.StatusCode == http.StatusRequestEntityTooLarge && r.Header.Get("X-Counted") != "" {
		t.Error("the refusal has headers of the answer in place of which it is")
	}
	return r.StatusCode, string(all)
}

// Whether a body says how long it is or comes in chunks: the largest one is taken, and one byte more is refused,
// also to a client that sends all before it reads.
func TestSize(t *testing.T) {
	address := bounded(t)
	for _, n := range []int{0, 1, mostOfTest, mostOfTest + 1, 100 * mostOfTest} {
		want, wantText := http.StatusOK, fmt.Sprint(n)
		if n > mostOfTest {
			want, wantText = http.StatusRequestEntityTooLarge, "too large"
		}
		body := strings.Repeat("x", n)
		for form, head := range map[string]string{
			"length": fmt.Sprintf("Content-Length: %d\r\n\r\n%s", n, body),
			"chunks": fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%s0\r\n\r\n", chunks(body)),
		} {
			c := dial(t, address)
			if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\n"+head); err != nil {
				t.Fatalf("%s of %d bytes: %v", form, n, err)
			}
			if status, text := answer(t, c); status != want || text != wantText {
				t.Errorf("%s of %d bytes: %d %q, want %d %q", form, n, status, text, want, wantText)
			}
		}
	}
}

func chunks(body string) (out string) {
	for len(body) > 0 {
		n := min(len(body), 10000)
		out += fmt.Sprintf("%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return out
}

// A body that does not end is answered when it is too large, and not when the time for it is over.
func TestSizeOfWhatDoesNotEnd(t *testing.T) {
	address := bounded(t)
	for form, head := range map[string]string{
		"length":          fmt.Sprintf("Content-Length: %d\r\n\r\n", 1<<30),
		"chunks":          "Transfer-Encoding: chunked\r\n\r\n" + chunks(strings.Repeat("x", mostOfTest+1)),
		"length, waiting": fmt.Sprintf("Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", mostOfTest+1),
	} {
		c := dial(t, address)
		if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\n"+head); err != nil {
			t.Fatal(err)
		}
		if status, text := answer(t, c); status != http.StatusRequestEntityTooLarge || text != "too large" {
			t.Errorf("%s: %d %q", form, status, text)
		}
		c.Close()
	}
}
