package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/serve"
)

// serveOptions are the flags of "pcd serve".
type serveOptions struct {
	config serve.Config
	jobs   jobOptions
	json   bool
}

func newServeCommand() *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Plan for others, over HTTP and gRPC",
		Long: `Answers requests for plans until it is interrupted: plain JSON over HTTP, gRPC and
gRPC-Web at one address, from the schema in proto/pcd/v1. A plan that is sent is
certified, or the request is refused with what fails, where and for whom.

It listens to this machine only. For others, give --tokens and a certificate (--cert,
--key), or say --open, for instance behind a proxy that has both. An interruption
lets what runs finish; a second one does not.

With --store it also does long work: jobs are commands of this program, such as eval
and train, each in a process of its own. Jobs and their files are kept in the folder; a
job that was cut short, also by a crash, goes on. Several services share jobs through
--database and one folder.

` + exitCodeHelp,
		Example: "  pcd serve\n  pcd serve --store jobs\n  pcd serve --address :8443 --tokens tokens --cert cert.pem --key key.pem",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c := o.config
			c.Log = newLog(cmd.ErrOrStderr(), o.json)
			q, err := o.jobs.open(cmd.Context(), c.Log)
			if err != nil {
				return err
			}
			if q != nil {
				c.Jobs = q
			}
			s, err := serve.New(c)
			if err != nil {
				return errors.Join(serveUsage(err), o.jobs.close(q))
			}
			defer endsByItself(cmd.Context(), "")()
			return errors.Join(s.Run(cmd.Context()), o.jobs.close(q))
		},
	}
	o.addTo(c.Flags())
	return c
}

func (o *serveOptions) addTo(f *pflag.FlagSet) {
	c := &o.config
	f.StringVar(&c.Address, "address", serve.DefaultAddress, "host:port to listen at; port 0 is a free one, which is told")
	f.StringVar(&c.Metrics, "metrics", "", "host:port of the metrics, for Prometheus (default: nowhere)")
	f.StringVar(&c.Tokens, "tokens", "", "file with the name of a client and its token on every line")
	f.StringVar(&c.Certificate, "cert", "", "file of the certificate, in PEM")
	f.StringVar(&c.Key, "key", "", "file of the key of the certificate, in PEM")
	f.BoolVar(&c.Open, "open", false, "let others ask without tokens or encryption")
	number(f, &c.Cores, settings.ServeCores)
	number(f, &c.Waiting, settings.ServeWaiting)
	number(f, &c.Connections, settings.ServeConnections)
	f.DurationVar(&c.Longest, "longest", 0, "time that a request may compute, and that it may wait (default: 30s)")
	f.DurationVar(&c.Drain, "drain", 0, "time for what runs when the service is ended (default: 30s)")
	number(f, &c.Robots, settings.ServeRobots)
	number(f, &c.Sessions, settings.ServeSessions)
	number(f, &c.Samples, settings.ServeSamples)
	f.StringToStringVar(&c.Models, "model", nil, "`NAME=PATH` of a model that scenes may name, beside those that ship")
	f.StringToStringVar(&c.Policies, "policy", nil, "`NAME=DIR` of the folder of a LeRobot policy that may be asked what to do")
	o.jobs.addTo(f)
	f.BoolVar(&o.json, "json", false, "write the log as JSON")
}

// newLog returns a log for people, or for machines.
func newLog(w io.Writer, json bool) *slog.Logger {
	if json {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// serveFlags are the flags of the fields of a configuration.
var serveFlags = map[string]string{
	"Address": "address", "Metrics": "metrics", "Certificate": "cert", "Key": "key", "Cores": "cores", "Waiting": "waiting", "Connections": "connections",
	"Robots": "robots", "Samples": "samples", "Sessions": "sessions", "Longest or Drain": "longest or --drain", "Models": "model", "Policies": "policy", "Tokens": "tokens",
}

// serveUsage names a field of a configuration as the command line does.
func serveUsage(err error) error {
	var broken *serve.ConfigError
	if errors.As(err, &broken) {
		return usageError{fmt.Errorf("--%s %v, %s", serveFlags[broken.Field], broken.Value, broken.Reason)}
	}
	return err
}
