package serve

import (
	"testing"

	"connectrpc.com/connect"

	"github.com/go-pcd/pcd/internal/cputime"
	"github.com/go-pcd/pcd/internal/planner"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// BenchmarkCall measures a plan by the planner, and the same one by a call: its client and its
// server together, also in processor time.
func BenchmarkCall(b *testing.B) {
	measured := func(name string, plan func(*testing.B)) {
		b.Run(name, func(b *testing.B) {
			plan(b)
			began := cputime.Process()
			for b.Loop() {
				plan(b)
			}
			b.ReportMetric((cputime.Process()-began).Seconds()*1000/float64(b.N), "cpu-ms/op")
		})
	}
	s, url := start(b, Config{})
	measured("library", func(b *testing.B) { // with models that are open, as those of the server
		r := planner.PlanRequest{Task: "scene", Scene: new(doorway), Seed: new(uint64(7)), Models: s.models.find}
		if o, err := planner.Do(b.Context(), &planner.PlanTask{Request: r}, planner.Watch{}, nil); err != nil || o.Verdict != nil {
			b.Fatal(err, o)
		}
	})
	for _, protocol := range []string{"json", "connect"} {
		c := clients(url)[protocol]
		measured(protocol, func(b *testing.B) {
			r := &pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}, Settings: &pb.Settings{Seed: new(uint64(7))}, Brief: true}
			if _, err := c.Plan(b.Context(), connect.NewRequest(r)); err != nil {
				b.Fatal(err)
			}
		})
	}
}
