package mmd

import (
	"context"
	"testing"
)

// A search over nodes ends when these would take more memory than they may.
func TestNodesKeepToTheirRoom(t *testing.T) {
	s := New(teamOfEqual(2), duel(), cbs, Options{TimeLimit: -1, Memory: 10000})
	n, err := s.Run(context.Background())
	if err != nil || n == nil || s.report.Status != MemoryLimit || s.report.Conflicts != len(n.conflicts) {
		t.Errorf("%+v, node %v, error %v, want the memory limit", s.report, n != nil, err)
	}
}
