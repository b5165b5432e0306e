package guard

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// Pace bounds how long the other side of a request may take: to send all of its body, and
// to read every part of the answer. An answer may be as long as it likes, such as a stream
// that somebody watches, as long as it is read.
type Pace struct{ Read, Write time.Duration }

// Handler returns a handler that ends what keeps it waiting for longer.
func (p Pace) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		// While an answer is made the server listens whether its client leaves. Behind a body that listening has no
		// deadline. Without a body it has begun already, and a deadline would end it: for the server the client has
		// left then, and all that it asks for later on the same connection.
		if r.Body != nil && r.Body != http.NoBody {
			_ = control.SetReadDeadline(time.Now().Add(p.Read)) // a writer of tests has none
			r.Body = &body{r.Body, p.Read}
		}
		next.ServeHTTP(&writer{w, control, p.Write}, r)
	})
}

// body is that of a request. It says what was waited for.
type body struct {
	io.ReadCloser
	most time.Duration
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = &lateError{b.most}
	}
	return n, err
}

// lateError says that a body did not arrive, without the addresses that errors of connections have.
type lateError struct{ most time.Duration }

func (e *lateError) Error() string {
	return fmt.Sprintf("the request did not arrive within %v", e.most)
}

func (e *lateError) Unwrap() error { return os.ErrDeadlineExceeded }

// writer gives every part of an answer its time.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
	most    time.Duration
}

func (w *writer) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.most))
	return w.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher].
func (w *writer) Flush() {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.most))
	_ = w.control.Flush() // the next part of the answer finds out
}

// Unwrap leads [http.ResponseController] on.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
