package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect"
)

// call is what is known of a request, for the log and the metrics.
type call struct {
	id     string
	client string
	code   string // of the schema; "" before there is an answer
	err    error
}

type callKey struct{}

// callOf returns the call of a context.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

// clientOf returns who asks: the name of its token, or its address.
func clientOf(ctx context.Context) string { return callOf(ctx).client }

// idHeader carries the id of a request, there and back.
const idHeader = "X-Request-Id"

// requestID returns the id that a client gives, if it is one that a log can hold, else one
// at random.
func requestID(r *http.Request) string {
	given := r.Header.Get(idHeader)
	plain := func(c rune) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_' || c == '.'
	}
	if given == "" || len(given) > 64 || strings.ContainsFunc(given, func(c rune) bool { return !plain(c) }) {
		return rand.Text()
	}
	return given
}

// logged gives every request an id, and writes a line and a count when it has ended.
func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		c := &call{id: requestID(r), client: addressOf(r)}
		w.Header().Set(idHeader, c.id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		out := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(out, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
		name := s.metrics.name(r.URL.Path)
		if c.code == "" {
			c.code = codeOf(out, name != otherCalls)
		}
		took := time.Since(began)
		s.metrics.answered(name, c.code, took)
		attributes := []any{"call", name, "code", c.code, "seconds", took.Seconds(), "client", c.client, "id", c.id, "protocol", r.Proto}
		if c.err != nil {
			attributes = append(attributes, "error", text(c.err))
		}
		s.config.Log.Info("answered", attributes...)
	})
}

// addressOf returns the address of a client, without its port.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// statusWriter notes the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	// A refusal that is to be asked for again says when. Another one is of a message that is too large, in a code of
	// the schema for which HTTP has two.
	if status == http.StatusTooManyRequests && w.Header().Get("Retry-After") == "" {
		status = http.StatusRequestEntityTooLarge
	}
	w.status = status
	wanted := w.Header().Get("Accept-Post")
	if status != http.StatusUnsupportedMediaType || wanted == "" {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	// Of a call, which is answered without a word: curl sends another type unless it is told.
	w.Header().Set("Content-Type", "application/json")
	w.ResponseWriter.WriteHeader(status)
	_, _ = fmt.Fprintf(w.ResponseWriter, `{"code":"invalid_argument","message":"want as Content-Type one of %s"}`, wanted) // who is gone does not read it
}

// Unwrap leads [http.ResponseController] on.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements [http.Flusher].
func (w *statusWriter) Flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush() // the next write finds out
}

// codeOf returns the code of an answer that no call was made for: the request could not be read.
func codeOf(w *statusWriter, call bool) string {
	for _, key := range []string{grpcStatus, http.TrailerPrefix + grpcStatus} {
		if n, err := strconv.Atoi(w.Header().Get(key)); err == nil && n > 0 {
			return connect.Code(n).String()
		}
	}
	if w.status == http.StatusOK {
		return "ok"
	}
	if code, ok := codesOfHTTP[w.status]; ok && call {
		return code.String()
	}
	return fmt.Sprint(w.status)
}

// codesOfHTTP are the codes of calls whose request could not be read, by the status that they have over HTTP.
var codesOfHTTP = map[int]connect.Code{
	http.StatusBadRequest: connect.CodeInvalidArgument, http.StatusRequestEntityTooLarge: connect.CodeResourceExhausted, 499: connect.CodeCanceled,
	http.StatusInternalServerError: connect.CodeInternal, http.StatusNotImplemented: connect.CodeUnimplemented, http.StatusGatewayTimeout: connect.CodeDeadlineExceeded,
}

// grpcStatus is where gRPC and gRPC-Web say how a call ended; that of HTTP says that it was one.
const grpcStatus = "Grpc-Status"

// authenticated lets clients in that have a token, where tokens are asked for.
func (s *Server) authenticated(next http.Handler) http.Handler {
	if s.tokens == nil {
		return next
	}
	refused := connect.NewErrorWriter()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := s.tokens.Client(r)
		if !ok {
			w.Header().Set("WWW-Authenticate", "Bearer")
			err := connect.NewError(connect.CodeUnauthenticated, errors.New("no token, or not one of this service: send Authorization: Bearer TOKEN"))
			callOf(r.Context()).code = err.Code().String()
			if refused.IsSupported(r) {
				_ = refused.Write(w, r, err) // who is gone does not read it
				return
			}
			http.Error(w, err.Message(), http.StatusUnauthorized)
			return
		}
		callOf(r.Context()).client = name
		next.ServeHTTP(w, r)
	})
}

// sizeError says that a request is larger than the service takes.
type sizeError struct{ Most int }

func (e *sizeError) Error() string {
	return fmt.Sprintf("serve: the request is larger than %d bytes, the most that one may have", e.Most)
}

// tooLarge answers a request that is too large.
func (s *Server) tooLarge(w http.ResponseWriter, r *http.Request) {
	c := callOf(r.Context())
	c.err = refuse(&sizeError{s.config.Bytes})
	c.code = connect.CodeOf(c.err).String()
	_ = connect.NewErrorWriter().Write(w, r, c.err) // who is gone does not read it
}

// record returns an interceptor that notes the codes of calls.
func (s *Server) record() connect.Interceptor { return recorder{s} }

type recorder struct{ server *Server }

// note writes down how a call ended, and returns its error, or that the service ended it.
func note(ctx context.Context, err error) error {
	ending := isA[*endingError](context.Cause(ctx))
	if ending && connect.CodeOf(err) == connect.CodeCanceled {
		err = refuse(context.Cause(ctx)) // its client is there
	}
	c, told := callOf(ctx), err
	if gone := ctx.Err(); gone != nil && !ending && (err == nil || connect.CodeOf(err) == connect.CodeUnknown) {
		told = refuse(gone) // nobody reads the answer any more
	}
	if c.code = "ok"; told != nil {
		c.code, c.err = connect.CodeOf(told).String(), told
	}
	return err
}

// WrapUnary implements [connect.Interceptor].
func (recorder) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, r connect.AnyRequest) (connect.AnyResponse, error) {
		answer, err := next(ctx, r)
		return answer, note(ctx, err)
	}
}

// WrapStreamingClient implements [connect.Interceptor].
func (recorder) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// WrapStreamingHandler implements [connect.Interceptor].
func (recorder) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, c connect.StreamingHandlerConn) error { return note(ctx, next(ctx, c)) }
}

// recovered answers a request that broke the program's own rules.
func (s *Server) recovered(ctx context.Context, spec connect.Spec, _ http.Header, v any) error {
	s.config.Log.Error("panic", "call", spec.Procedure, "id", callOf(ctx).id, "value", fmt.Sprint(v), "stack", string(debug.Stack()))
	return connect.NewError(connect.CodeInternal, fmt.Errorf("this is a mistake of the service; its log says more under %s", callOf(ctx).id))
}
