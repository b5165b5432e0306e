package planner

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// A certified plan says that its order is looked for, and shows the one that it writes.
func TestOrderIsToldAndShown(t *testing.T) {
	task, err := PlanRequest{Scene: crossing(20, "")}.Check()
	if err != nil {
		t.Fatal(err)
	}
	var tried []string
	o, err := task.Run(t.Context(), Watch{Trying: func(what string) { tried = append(tried, what) }}, nil)
	if err != nil || o.Verdict != nil {
		t.Fatal(err, o)
	}
	if n := len(tried); n < 2 || !slices.Equal(tried[n-2:], []string{"the order of passages", ""}) {
		t.Errorf("told %q, want the order of passages last", tried)
	}
	tried = nil
	folder, err := OpenFolder(t.TempDir(), []string{"pcd", "plan"}, task.Files()...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := task.Run(t.Context(), Watch{Trying: func(what string) { tried = append(tried, what) }}, folder); err != nil {
		t.Fatal(err)
	}
	if n := len(tried); n < 4 || !slices.Equal(tried[n-4:], []string{"the order of passages", "", "the files", ""}) {
		t.Errorf("told %q, want the files last", tried)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	watch := Watch{Trying: func(what string) {
		if what == "the order of passages" {
			interrupt()
		}
	}}
	if o, err := task.Run(ctx, watch, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted while the order is looked for: %v, %v", o, err)
	}
	order, view := o.Summary.Plan.Order, o.Pictures.(planPictures).view().Samples[0].Order
	if order == nil || view == nil || len(order.Passages) == 0 || len(view.Passages) != len(order.Passages) {
		t.Fatalf("%+v is shown as %+v", order, view)
	}
	for k, p := range order.Passages {
		if q := view.Passages[k]; q != [4]float64{p[0], curveParts * p[1], p[2], curveParts * p[3]} {
			t.Errorf("passage %v is shown as %v", p, q)
		}
	}
}
