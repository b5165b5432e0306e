package main

import (
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/experiment/attributes"
)

// TestAccuracyOfNothing says that no picture was judged, where shares of none were printed.
func TestAccuracyOfNothing(t *testing.T) {
	var out strings.Builder
	printAccuracy(&out, trainSummary{Accuracy: []attributes.Accuracy{{Head: "gender"}, {Head: "age_group", Images: 3, Right: 1, Common: 0.5}}})
	if got := out.String(); !strings.Contains(got, "no picture held out has a label") || strings.Contains(got, "0 pictures") || !strings.Contains(got, "100.0 % of 3 pictures") {
		t.Errorf("%q", got)
	}
}
