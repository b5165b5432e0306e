// Package download copies a file from an address of the web.
//
// A server that does not answer, or not any more, is given up: the times are those of a
// step, and the whole takes as long as there is progress. Names are looked up in Go, so
// that a program finds them in the same way however it was linked.
package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/go-pcd/pcd/internal/quote"
)

// Limits says how long a server is waited for, and what it may send. All are set.
type Limits struct {
	Connect time.Duration // until it can be spoken to, encryption included
	Header  time.Duration // until it begins to answer
	Stall   time.Duration // in which Pace bytes arrive
	Pace    int64
	Most    int64 // bytes of the file
}

// Patient are the limits for people: a kilobyte per second is progress.
func Patient(most int64) Limits {
	return Limits{Connect: 30 * time.Second, Header: time.Minute, Stall: time.Minute, Pace: 60 << 10, Most: most}
}

// Error says why a file was not copied.
type Error struct {
	Address string
	Reason  string
	Err     error // cause, or nil
}

func (e *Error) Error() string {
	s := quote.Text(e.Address) + ": " + e.Reason
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// errStalled ends a copy that makes no progress.
var errStalled = errors.New("no progress")

// Copy writes the file at an address to w. progress, which may be nil, is told how many
// bytes there are and how many there will be, or -1. It returns an [Error], the error of a
// cancelled context, or that of w.
func Copy(ctx context.Context, w io.Writer, address string, l Limits, progress func(done, total int64)) error {
	dialer := &net.Dialer{Timeout: l.Connect, Resolver: &net.Resolver{PreferGo: true}}
	return l.copy(ctx, w, address, progress, dialer.DialContext)
}

// dial connects to an address of a network.
type dial func(ctx context.Context, network, address string) (net.Conn, error)

func (l Limits) copy(ctx context.Context, w io.Writer, address string, progress func(done, total int64), to dial) error {
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return &Error{Address: address, Reason: "is no address", Err: err}
	}
	pacing, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	client := l.client(to)
	defer client.CloseIdleConnections()
	response, err := client.Do(request.WithContext(pacing))
	if err != nil {
		return l.explain(ctx, err, address, 0)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return &Error{Address: address, Reason: "the server says " + quote.Text(response.Status)}
	}
	if response.ContentLength > l.Most {
		return l.tooLong(address)
	}
	p := &pacer{limits: l, total: response.ContentLength, progress: progress, timer: time.AfterFunc(l.Stall, func() { stop(errStalled) })}
	defer p.timer.Stop()
	_, err = io.Copy(io.MultiWriter(w, p), &source{io.LimitReader(response.Body, l.Most+1), &p.failed})
	switch {
	case err == nil && p.done > l.Most:
		return l.tooLong(address)
	case err != nil && context.Cause(pacing) == errStalled:
		return l.explain(ctx, errStalled, address, p.done)
	case err != nil && p.failed:
		return l.explain(ctx, err, address, p.done)
	}
	return err
}

// client returns one that does not wait for ever.
func (l Limits) client(to dial) *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: to, TLSHandshakeTimeout: l.Connect,
		ResponseHeaderTimeout: l.Header, DisableCompression: true, ForceAttemptHTTP2: true,
	}}
}

func (l Limits) tooLong(address string) error {
	return &Error{Address: address, Reason: fmt.Sprintf("has more than the %d bytes that are copied at most", l.Most)}
}

// elsewhere is the remedy for a server that cannot be reached from here.
const elsewhere = "try again, or fetch it with another program and name the file"

// explain says what an error of the connection means after so many bytes.
func (l Limits) explain(ctx context.Context, err error, address string, done int64) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var waited net.Error
	switch {
	case err == errStalled:
		return &Error{Address: address, Reason: fmt.Sprintf("less than %d bytes arrived within %v, after %d; %s", l.Pace, l.Stall, done, elsewhere)}
	case errors.As(err, &waited) && waited.Timeout():
		return &Error{Address: address, Reason: fmt.Sprintf("no answer within %v; %s", max(l.Connect, l.Header), elsewhere), Err: err}
	}
	return &Error{Address: address, Reason: fmt.Sprintf("the connection failed after %d bytes; %s", done, elsewhere), Err: err}
}

// pacer counts what arrives, and gives more time for it.
type pacer struct {
	limits      Limits
	timer       *time.Timer
	progress    func(done, total int64)
	done, total int64
	fresh       int64 // since the timer was set
	failed      bool  // the server did, not who writes
}

func (p *pacer) Write(b []byte) (int, error) {
	p.done += int64(len(b))
	if p.fresh += int64(len(b)); p.fresh >= p.limits.Pace {
		p.fresh = 0
		p.timer.Reset(p.limits.Stall)
	}
	if p.progress != nil {
		p.progress(p.done, p.total)
	}
	return len(b), nil
}

// source notes that reading failed.
type source struct {
	io.Reader
	failed *bool
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	*s.failed = err != nil && err != io.EOF
	return n, err
}
