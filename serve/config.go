package serve

import (
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"time"

	"github.com/go-pcd/pcd/internal/jobs"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/serve/internal/guard"
)

// Config says where and how to serve. Its zero value serves this machine alone.
type Config struct {
	Address string // host:port to listen at; "" is [DefaultAddress]
	Metrics string // host:port of the metrics in the format of Prometheus; "" is nowhere
	// Tokens is a file with the name of a client and its token on every line. "" asks for
	// none.
	Tokens string
	// Certificate and Key are files of a certificate and its key, in PEM. Without them
	// nothing is encrypted.
	Certificate, Key string
	// Open allows other addresses than those of this machine without tokens or TLS, for
	// instance behind a proxy that has both.
	Open bool

	Cores       int           // that plans share; 0 is all of the machine
	Waiting     int           // requests that may wait for a core; 0 is 64
	Connections int           // at a time; 0 is 4096
	Longest     time.Duration // that a request may compute, and that it may wait; 0 is 30 s
	Drain       time.Duration // for what runs when the server is told to end; 0 is 30 s
	Robots      int           // of the largest team; 0 is 256
	Samples     int           // joint samples of the largest request; 0 is 1024
	Sessions    int           // at a time; 0 is 256
	Bytes       int           // of the largest request; 0 is 1 MiB

	// Models are files of models, or folders, by the names that scenes call them.
	Models map[string]string
	// Policies are folders of LeRobot policies, by the names that requests call them.
	Policies map[string]string
	// Jobs does long work; nil refuses it. It is that of the command "pcd serve --store".
	Jobs jobs.Service
	Log  *slog.Logger // nil logs nothing
}

// DefaultAddress is where a server listens that is not told where.
const DefaultAddress = "127.0.0.1:8080"

// ConfigError says which field of a [Config] cannot be used.
type ConfigError struct {
	Field  string
	Value  any
	Reason string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("serve: %s is %v, %s", e.Field, e.Value, e.Reason)
}

// orDefault replaces zero.
func orDefault[T comparable](v *T, otherwise T) {
	var zero T
	if *v == zero {
		*v = otherwise
	}
}

// complete returns the configuration with its defaults, or an error.
func (c Config) complete() (Config, error) {
	orDefault(&c.Address, DefaultAddress)
	orDefault(&c.Cores, runtime.GOMAXPROCS(0))
	orDefault(&c.Longest, 30*time.Second)
	orDefault(&c.Drain, 30*time.Second)
	orDefault(&c.Log, slog.New(slog.DiscardHandler))
	for _, n := range []struct {
		field string
		value *int
		row   settings.Number
	}{
		{"Cores", &c.Cores, settings.ServeCores}, {"Waiting", &c.Waiting, settings.ServeWaiting}, {"Connections", &c.Connections, settings.ServeConnections},
		{"Robots", &c.Robots, settings.ServeRobots}, {"Samples", &c.Samples, settings.ServeSamples}, {"Bytes", &c.Bytes, settings.ServeBytes}, {"Sessions", &c.Sessions, settings.ServeSessions},
	} {
		if !n.row.Allows(float64(*n.value)) {
			return c, &ConfigError{n.field, *n.value, fmt.Sprintf("want 1 to %.0f, or 0 for the default", n.row.High)}
		}
		orDefault(n.value, int(n.row.Default))
	}
	if c.Longest < 0 || c.Drain < 0 {
		return c, &ConfigError{"Longest or Drain", min(c.Longest, c.Drain), "want a positive time, or 0 for the default"}
	}
	return c, c.checkPlace()
}

// checkPlace refuses addresses at which strangers could ask, unless they are told apart and
// cannot be listened to.
func (c Config) checkPlace() error {
	if c.Certificate == "" && c.Key != "" {
		return &ConfigError{"Certificate", `""`, fmt.Sprintf("want the certificate of the key %q, or neither", c.Key)}
	}
	if c.Certificate != "" && c.Key == "" {
		return &ConfigError{"Key", `""`, fmt.Sprintf("want the key of the certificate %q, or neither", c.Certificate)}
	}
	if _, _, err := net.SplitHostPort(c.Address); err != nil {
		return &ConfigError{"Address", fmt.Sprintf("%q", c.Address), "want host:port"}
	}
	if _, _, err := net.SplitHostPort(c.Metrics); c.Metrics != "" && err != nil {
		return &ConfigError{"Metrics", fmt.Sprintf("%q", c.Metrics), "want host:port"}
	}
	if guard.Loopback(c.Address) || c.Open || c.Tokens != "" && c.Certificate != "" {
		return nil
	}
	return &ConfigError{"Address", fmt.Sprintf("%q", c.Address),
		"which others can reach: give tokens and a certificate with its key, or say that it may be open (Open, --open), for instance behind a proxy that has both"}
}
