package guard

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"
)

// Size bounds the body of a request. One that is larger is answered as soon as that is known, however much of it is
// still to come.
type Size struct {
	Most    int64        // bytes
	Refused http.Handler // answers what has more
}

// leftUnread is how much of a body behind its answer is read: many clients look for an answer when they have sent
// all, and lose one that comes with a reset.
const leftUnread = 64 << 20

// errTooLarge ends the reading of a body that is too large.
var errTooLarge = errors.New("the body is too large")

// Handler returns a handler that sees no larger body.
func (s Size) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.ContentLength > s.Most:
			s.refuse(w, r, r.Body)
		case r.ContentLength >= 0:
			next.ServeHTTP(w, r)
		default:
			all := r.Body
			part := &sized{ReadCloser: all, left: s.Most}
			out := &sizedWriter{ResponseWriter: w, before: w.Header().Clone(), body: part, refuse: func() { s.refuse(w, r, all) }}
			r.Body = part
			next.ServeHTTP(out, r)
			out.instead()
		}
	})
}

// refuse answers a request, and reads what is still coming.
func (s Size) refuse(w http.ResponseWriter, r *http.Request, body io.Reader) {
	if r.ProtoMajor != 1 {
		s.Refused.ServeHTTP(w, r) // the stream ends there
		return
	}
	control := http.NewResponseController(w)
	_ = control.EnableFullDuplex() // else the answer waits for the body
	w.Header().Set("Connection", "close")
	answer := &held{ResponseWriter: w, status: http.StatusOK}
	s.Refused.ServeHTTP(answer, r)
	w.Header().Set("Content-Length", strconv.Itoa(answer.body.Len())) // it is whole before the request is
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.body.Bytes()) // who is gone does not read it
	_ = control.Flush()
	_, _ = io.CopyN(io.Discard, body, leftUnread)
}

// held is an answer before it is sent.
type held struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (h *held) WriteHeader(status int)      { h.status = status }
func (h *held) Write(p []byte) (int, error) { return h.body.Write(p) }

// sized is a body that ends with an error where it is too large.
type sized struct {
	io.ReadCloser
	left int64
	over bool
}

func (b *sized) Read(p []byte) (int, error) {
	if b.over {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if int64(n) > b.left {
		b.over = true
		return int(b.left), errTooLarge
	}
	b.left -= int64(n)
	return n, err
}

// sizedWriter puts the refusal in place of what is answered to a part of a body.
type sizedWriter struct {
	http.ResponseWriter
	before  http.Header // of the answer, when the handler was called
	body    *sized
	refuse  func()
	refused bool
	unsent  http.Header
}

// instead reports whether the answer is the refusal, which it sends once.
func (w *sizedWriter) instead() bool {
	if w.body.over && !w.refused {
		w.refused, w.unsent = true, http.Header{}
		clear(w.ResponseWriter.Header())
		maps.Copy(w.ResponseWriter.Header(), w.before)
		w.refuse()
	}
	return w.refused
}

// Header returns the headers, and others that nobody gets where the refusal has been sent.
func (w *sizedWriter) Header() http.Header {
	if w.refused {
		return w.unsent
	}
	return w.ResponseWriter.Header()
}

func (w *sizedWriter) WriteHeader(status int) {
	if !w.instead() {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *sizedWriter) Write(p []byte) (int, error) {
	if w.instead() {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher].
func (w *sizedWriter) Flush() {
	if !w.instead() {
		_ = http.NewResponseController(w.ResponseWriter).Flush() // the next part of the answer finds out
	}
}

// Unwrap leads [http.ResponseController] on.
func (w *sizedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
