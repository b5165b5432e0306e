package serve

import (
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"

	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/serve/internal/board"
	"github.com/go-pcd/pcd/serve/internal/gate"
	"github.com/go-pcd/pcd/serve/internal/guard"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
	"github.com/go-pcd/pcd/serve/internal/pcdv1/pcdv1connect"
)

// Server answers requests. It is safe for concurrent use.
type Server struct {
	config   Config
	tokens   *guard.Tokens // nil asks for none
	gate     *gate.Gate
	costs    gate.Costs
	models   models
	policies policies
	metrics  *metrics
	sessions *sessions
	memory   int64 // that the searches of a plan may take
	handler  http.Handler
	health   *grpchealth.StaticChecker
	ready    atomic.Bool
}

// The times in which the other side has to do its part.
const (
	readTimeout   = 15 * time.Second
	writeTimeout  = 15 * time.Second
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	headerBytes   = 32 << 10
	idleSession   = 5 * time.Minute // after which nobody drives it any more
)

// New returns a server, or a [ConfigError] or an error of the files that the configuration
// names.
func New(c Config) (*Server, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, metrics: newMetrics()}
	if c.Tokens != "" {
		var broken *guard.TokenError
		if s.tokens, err = guard.ReadTokens(c.Tokens); errors.As(err, &broken) {
			return nil, &ConfigError{"Tokens", c.Tokens, broken.Where()}
		} else if err != nil {
			return nil, err
		}
	}
	if s.models, err = openModels(c.Models); err != nil {
		return nil, err
	}
	if s.policies, err = openPolicies(c.Policies, c.Cores); err != nil {
		return nil, err
	}
	s.gate = gate.New(gate.Limits{Cores: c.Cores, Waiting: c.Waiting, PerClient: max(c.Waiting/2, 1), Longest: c.Longest})
	s.sessions = newSessions(c.Sessions, idleSession)
	s.metrics.watch(s.gate, s.sessions)
	// Every plan that runs may take as much as a quarter of the machine divided by the cores.
	s.memory = memory.Machine() / int64(4*c.Cores)
	page, err := board.Handler()
	if err != nil {
		return nil, err
	}
	s.handler = s.routes(page)
	s.ready.Store(true)
	return s, nil
}

// Handler returns the handler of all calls.
func (s *Server) Handler() http.Handler { return s.handler }

// routes returns the handler of all calls, behind those that guard it.
func (s *Server) routes(page http.Handler) http.Handler {
	options := []connect.HandlerOption{
		connect.WithReadMaxBytes(s.config.Bytes), withGzip(s.config.Bytes), connect.WithCompressMinBytes(1 << 10),
		connect.WithCodec(jsonCodec{}), connect.WithInterceptors(s.record()), connect.WithRecover(s.recovered),
	}
	calls := http.NewServeMux()
	calls.Handle(pcdv1connect.NewPlanServiceHandler(planService{s}, options...))
	calls.Handle(pcdv1connect.NewSessionServiceHandler(sessionService{s}, options...))
	calls.Handle(pcdv1connect.NewJudgeServiceHandler(judgeService{s}, options...))
	calls.Handle(pcdv1connect.NewJobServiceHandler(jobService{s}, options...))
	calls.Handle(pcdv1connect.NewPolicyServiceHandler(policyService{s}, options...))
	sized := guard.Size{Most: int64(s.config.Bytes) + envelope, Refused: http.HandlerFunc(s.tooLarge)}.Handler(calls)
	s.health = grpchealth.NewStaticChecker(serviceNames...)
	mux := http.NewServeMux()
	mux.Handle(grpchealth.NewHandler(s.health, options...))
	mux.HandleFunc("GET /live", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /ready", s.answerReady)
	mux.HandleFunc("GET /openapi.json", answerOpenAPI)
	mux.Handle("/", page)
	mux.Handle("GET /jobs/{id}/{name...}", s.authenticated(http.HandlerFunc(jobService{s}.serveFile)))
	for _, name := range serviceNames {
		mux.Handle("/"+name+"/", s.authenticated(sized))
	}
	var h http.Handler = http.NewCrossOriginProtection().Handler(mux)
	if s.tokens == nil && guard.Loopback(s.config.Address) {
		h = guard.OnlyLocal(h)
	}
	return s.logged(guard.Pace{Read: readTimeout, Write: writeTimeout}.Handler(h))
}

// envelope is how much longer a body may be than its message: gRPC and its kin put five bytes before it.
const envelope = 5

// serviceNames are those of the schema.
var serviceNames = []string{pcdv1connect.PlanServiceName, pcdv1connect.SessionServiceName, pcdv1connect.JobServiceName, pcdv1connect.JudgeServiceName, pcdv1connect.PolicyServiceName}

// answerOpenAPI describes the calls. Pages of others may read it: it is no secret.
func answerOpenAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	_, _ = w.Write(pb.OpenAPI) // who is gone does not read it
}

// answerReady says whether requests are taken.
func (s *Server) answerReady(w http.ResponseWriter, _ *http.Request) {
	if !s.ready.Load() {
		http.Error(w, "the service is ending", http.StatusServiceUnavailable)
	}
}
