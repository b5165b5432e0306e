package guard

import (
	"io"
	"net"
	"sync"
	"time"
)

// refused is what one connection too many reads. It is short enough for any buffer, so that
// nobody is waited for.
const refused = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 21\r\n\r\ntoo many connections\n"

// What connections too many are given to ask before they are told to come back, and to hear it.
const (
	leaving   = 1024 // at a time; others are told at once
	leaveTime = 500 * time.Millisecond
	leaveMost = 2 << 20 // bytes of a request that are read
)

// Listener accepts so many connections at a time. One more is told to come back, and closed.
type Listener struct {
	net.Listener
	plain   bool // its connections speak HTTP as it is
	room    chan struct{}
	leaving chan struct{}
	time    time.Duration // that one who leaves has to ask, and to hear
}

// NewListener returns a listener for so many connections. plain says that what is accepted
// speaks HTTP without TLS: only then can a refusal be read.
func NewListener(l net.Listener, most int, plain bool) *Listener {
	return &Listener{l, plain, make(chan struct{}, most), make(chan struct{}, leaving), leaveTime}
}

// Accept waits for a connection that there is room for.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.room <- struct{}{}:
			return &conn{Conn: c, leave: sync.OnceFunc(func() { <-l.room })}, nil
		default:
			l.refuse(c)
		}
	}
}

// refuse closes a connection, and says why. It does not wait.
func (l *Listener) refuse(c net.Conn) {
	if !l.plain {
		_ = c.Close()
		return
	}
	select {
	case l.leaving <- struct{}{}:
		go func() {
			l.turnAway(c)
			<-l.leaving
		}()
	default:
		sayRefused(c)
		_ = c.Close()
	}
}

// turnAway answers a request by a refusal. Clients take an answer that comes before they have asked for a broken connection,
// and lose one that comes with a reset, as systems send it when what has arrived was not read.
func (l *Listener) turnAway(c net.Conn) {
	defer func() { _ = c.Close() }()
	_ = c.SetReadDeadline(time.Now().Add(l.time))
	_, _ = c.Read(make([]byte, 1)) // who does not ask is told all the same
	sayRefused(c)
	half, ok := c.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	_ = c.SetReadDeadline(time.Now().Add(l.time))
	_, _ = io.CopyN(io.Discard, c, leaveMost)
}

// sayRefused writes the refusal. Who is gone does not read it.
func sayRefused(c net.Conn) {
	if err := c.SetWriteDeadline(time.Now().Add(time.Second)); err == nil {
		_, _ = c.Write([]byte(refused))
	}
}

// conn gives its room back when it is closed.
type conn struct {
	net.Conn
	leave func()
}

func (c *conn) Close() error {
	err := c.Conn.Close()
	c.leave()
	return err
}
