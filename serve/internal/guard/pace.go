package guard

import (
	"errors"
	"io"
	"net/http"
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
		if r.Body != nil {
			_ = control.SetReadDeadline(time.Now().Add(p.Read)) // a writer of tests has none
			r.Body = &body{r.Body, control}
		}
		next.ServeHTTP(&writer{w, control, p.Write}, r)
	})
}

// body is that of a request. When it has been read, the connection is not waited for: it
// stays open while an answer is made.
type body struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

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
