package serve

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/go-pcd/pcd/plan/session"
	"github.com/go-pcd/pcd/serve/internal/gate"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// metrics are what is counted, for Prometheus.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	stages   *prometheus.CounterVec
	plans    *prometheus.CounterVec
	names    map[string]string // of calls, by path
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pcd_requests_total", Help: "Requests that were answered."}, []string{"call", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "pcd_request_seconds", Help: "From request to answer.", Buckets: prometheus.ExponentialBuckets(0.001, 2, 16),
		}, []string{"call"}),
		stages: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pcd_plan_seconds_total", Help: "Where the time of certified plans went."}, []string{"stage"}),
		plans:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pcd_plans_total", Help: "Plans by whether they were certified."}, []string{"certified"}),
		names:  map[string]string{},
	}
	m.registry.MustRegister(m.requests, m.seconds, m.stages, m.plans, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, file := range []protoreflect.FileDescriptor{pb.File_pcd_v1_plan_proto, pb.File_pcd_v1_session_proto, pb.File_pcd_v1_job_proto, pb.File_pcd_v1_judge_proto, pb.File_pcd_v1_policy_proto} {
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			for k := range service.Methods().Len() {
				call := string(service.Methods().Get(k).Name())
				m.names["/"+string(service.FullName())+"/"+call] = call
			}
		}
	}
	return m
}

// watch adds what a gate knows.
func (m *metrics) watch(g *gate.Gate, s *sessions) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "pcd_waiting", Help: "Requests that wait for a core."},
		func() float64 { return float64(g.Waiting()) }))
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "pcd_sessions", Help: "Sessions that are open."},
		func() float64 { return float64(s.count()) }))
}

// otherCalls is the name of what is no call: nobody makes up new ones.
const otherCalls = "other"

// name returns the name of a call.
func (m *metrics) name(path string) string {
	if name, ok := m.names[path]; ok {
		return name
	}
	return otherCalls
}

// answered counts a request.
func (m *metrics) answered(name, code string, took time.Duration) {
	m.requests.WithLabelValues(name, code).Inc()
	m.seconds.WithLabelValues(name).Observe(took.Seconds())
}

// planned counts a certified plan, and where its time went.
func (m *metrics) planned(s *pb.Seconds) {
	m.plans.WithLabelValues("yes").Inc()
	for stage, v := range map[string]float64{
		"waiting": s.GetWaiting(), "model": s.GetModel(), "coupling": s.GetCoupling(), "projection": s.GetProjection(), "repair": s.GetRepair(),
	} {
		m.stages.WithLabelValues(stage).Add(v)
	}
}

// unplanned counts that a task has no certified plan, if that is what an error says.
func (m *metrics) unplanned(err error) {
	if isRefusedPlan(err) {
		m.plans.WithLabelValues("no").Inc()
	}
}

// drives counts the plan of a session, unless it is the one of before that goes on.
func (m *metrics) drives(kind session.Kind, s *pb.Seconds) {
	switch kind {
	case session.Continued:
	case session.Unsafe:
		m.plans.WithLabelValues("no").Inc()
	default:
		m.planned(s)
	}
}

// metricsServer returns the server of metrics, on a port of their own.
func (s *Server) metricsServer() *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	return &http.Server{
		Handler: mux, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: headerBytes,
	}
}
