package pusht

import (
	"testing"

	"github.com/go-pcd/pcd/internal/push"
)

// TestSamplersOfCells names the published sampler once, and refuses what a cell would before any
// is computed.
func TestSamplersOfCells(t *testing.T) {
	s := PublishedSpec()
	s.Methods, s.Limits, s.Samplers, s.Steps = []push.Method{push.DP}, []float64{8.4}, []string{"ddpm", "ddim"}, []int{10}
	cells, err := s.Cells()
	if err != nil {
		t.Fatal(err)
	}
	if len(cells) != 2 || cells[0].Name() != "pusht-dp-t10" || cells[1].Name() != "pusht-dp-ddim-t10" {
		t.Errorf("cells %v", cells)
	}
	for what, spoil := range map[string]func(*Spec){
		"unknown":          func(s *Spec) { s.Samplers = []string{"unipc"} },
		"adjacent":         func(s *Spec) { s.Adjacent = true },
		"noise of its own": func(s *Spec) { s.Preset = "paper" },
	} {
		other := s
		spoil(&other)
		if _, err := other.Cells(); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}
