package main

// The models that ship are part of the program.
import (
	_ "github.com/go-pcd/pcd/internal/pair/bundled"
	_ "github.com/go-pcd/pcd/internal/push/bundled"
	_ "github.com/go-pcd/pcd/plan/bundled"
)
