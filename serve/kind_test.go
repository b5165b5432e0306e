package serve

import (
	"testing"

	"connectrpc.com/connect"

	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// A request that makes no sense says nothing about those that have its words, and leaves nothing in memory.
func TestRefusedRequestsAreNoExamples(t *testing.T) {
	s, url := start(t, Config{})
	m := &pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}, Settings: &pb.Settings{Method: "magic"}}
	if _, err := clients(url)["connect"].Plan(t.Context(), connect.NewRequest(m)); connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Fatal(err)
	}
	r, err := s.planRequest(m)
	if err != nil {
		t.Fatal(err)
	}
	const unseen = 7
	if got := s.costs.Predict(kind(m), size(r), unseen); got != unseen {
		t.Errorf("a request that was refused is an example of %g s", got)
	}
}

// However many requests there are, with whatever times, there are few kinds of them.
func TestFewKindsOfRequests(t *testing.T) {
	kinds := map[string]bool{}
	for i := range 10000 {
		kinds[kind(&pb.PlanRequest{Within: float64(i+1) / 1000})] = true
	}
	if len(kinds) > 10 {
		t.Errorf("%d kinds of times up to 10 s", len(kinds))
	}
}
