package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"connectrpc.com/grpchealth"

	"github.com/go-pcd/pcd/serve/internal/guard"
)

// Run listens at [Config.Address] and serves until the context ends.
func (s *Server) Run(ctx context.Context) error {
	l, err := net.Listen("tcp", s.config.Address)
	if err != nil {
		return err
	}
	var metrics net.Listener
	if s.config.Metrics != "" {
		if metrics, err = net.Listen("tcp", s.config.Metrics); err != nil {
			return errors.Join(err, l.Close())
		}
	}
	return s.serve(ctx, l, metrics)
}

// serve serves at listeners, which it closes. That of metrics may be nil.
func (s *Server) serve(ctx context.Context, l, metrics net.Listener) error {
	calls, err := s.httpServer()
	if err != nil {
		return errors.Join(err, l.Close())
	}
	requests, cut := context.WithCancelCause(context.Background())
	defer cut(nil)
	calls.BaseContext = func(net.Listener) context.Context { return requests }
	ended := make(chan error, 2)
	running := 1
	bounded := guard.NewListener(l, s.config.Connections, s.config.Certificate == "")
	go func() {
		if s.config.Certificate != "" {
			ended <- calls.ServeTLS(bounded, "", "")
			return
		}
		ended <- calls.Serve(bounded)
	}()
	watched := s.metricsServer()
	if metrics != nil {
		running++
		go func() { ended <- watched.Serve(guard.NewListener(metrics, metricsConnections, true)) }()
	}
	s.config.Log.Info("serving", "at", s.url(l), "tokens", s.tokens != nil, "cores", s.config.Cores)
	select {
	case err = <-ended: // before its time
		running--
	case <-ctx.Done():
	}
	err = errors.Join(err, s.drain(calls, cut))
	_ = watched.Close() // whoever reads metrics asks again
	for range running {
		if e := <-ended; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// url returns where browsers find a listener.
func (s *Server) url(l net.Listener) string {
	scheme := "http://"
	if s.config.Certificate != "" {
		scheme = "https://"
	}
	return scheme + l.Addr().String()
}

// metricsConnections is how many may read metrics at a time.
const metricsConnections = 64

// httpServer returns the server of calls.
func (s *Server) httpServer() (*http.Server, error) {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(s.config.Certificate != "")
	protocols.SetUnencryptedHTTP2(s.config.Certificate == "")
	server := &http.Server{
		Handler: s.handler, Protocols: protocols, MaxHeaderBytes: headerBytes,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout + s.config.Longest, IdleTimeout: idleTimeout,
		HTTP2:    &http.HTTP2Config{MaxConcurrentStreams: 64, SendPingTimeout: idleTimeout, PingTimeout: headerTimeout, WriteByteTimeout: writeTimeout},
		ErrorLog: slog.NewLogLogger(s.config.Log.Handler(), slog.LevelDebug), // what clients do wrong
	}
	if s.config.Certificate == "" {
		return server, nil
	}
	pair, err := tls.LoadX509KeyPair(s.config.Certificate, s.config.Key)
	server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	return server, err
}

// farewell is how long requests that are cut short have to send what they have, or why there is nothing. A computation ends
// within a step.
const farewell = 3 * time.Second

// endingError says that the service ended before there was an answer.
type endingError struct{}

func (*endingError) Error() string {
	return "serve: the service ended before there was an answer: ask again when it is back"
}

// retryEnding is in how many seconds a service that ended may be back.
const retryEnding = "5"

// drain takes no more requests and waits for those that run, for a time. Then it cuts them short.
func (s *Server) drain(server *http.Server, cut context.CancelCauseFunc) error {
	s.ready.Store(false)
	s.health.SetStatus("", grpchealth.StatusNotServing)
	s.config.Log.Info("ending: no more requests are taken", "wait", s.config.Drain)
	s.sessions.endAll()
	began := time.Now()
	err := shutdown(server, s.config.Drain)
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	s.config.Log.Warn("requests are cut short", "after", time.Since(began))
	cut(&endingError{})
	if err = shutdown(server, farewell); errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}

// shutdown waits for the requests of a server that takes no more, for a time.
func shutdown(server *http.Server, most time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	return server.Shutdown(ctx)
}
