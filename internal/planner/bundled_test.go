package planner_test

import (
	_ "github.com/go-pcd/pcd/internal/pair/bundled"
	_ "github.com/go-pcd/pcd/internal/push/bundled"
	_ "github.com/go-pcd/pcd/plan/bundled"
)
