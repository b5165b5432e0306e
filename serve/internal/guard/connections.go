package guard

import (
	"net"
	"sync"
	"time"
)

// refused is what one connection too many reads. It is short enough for any buffer, so that
// nobody is waited for.
const refused = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 21\r\n\r\ntoo many connections\n"

// Listener accepts so many connections at a time. One more is told to come back, and closed.
type Listener struct {
	net.Listener
	plain bool // its connections speak HTTP as it is
	room  chan struct{}
}

// NewListener returns a listener for so many connections. plain says that what is accepted
// speaks HTTP without TLS: only then can a refusal be read.
func NewListener(l net.Listener, most int, plain bool) *Listener {
	return &Listener{l, plain, make(chan struct{}, most)}
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

// refuse closes a connection, and says why.
func (l *Listener) refuse(c net.Conn) {
	if l.plain {
		if err := c.SetWriteDeadline(time.Now().Add(time.Second)); err == nil {
			_, _ = c.Write([]byte(refused)) // who is gone does not read it
		}
	}
	_ = c.Close()
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
