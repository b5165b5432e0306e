package project_test

import (
	"testing"

	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// TestSetsThatAreMissing wants an error instead of a panic, at once or later.
func TestSetsThatAreMissing(t *testing.T) {
	if _, err := project.NewBlock(nil, 0, 0, tensor.Shape{1, 1}); err == nil {
		t.Error("NewBlock of no set: no error")
	}
	if _, err := project.NewIntersection(project.IntersectionOptions{}, nil); err == nil {
		t.Error("NewIntersection of no set: no error")
	}
}
