// Package load has the tests of a service under load, and of one that is killed. They run a
// program and take minutes, and so only where they are asked for:
//
//	go test ./serve/internal/load -v -timeout 30m -load 3m
//	go test ./serve/internal/load -v -timeout 30m -killed
//	go test ./serve/internal/load -v -timeout 30m -killed -database postgres://… -restart "service postgresql restart"
//
// Figures of them are in docs/results/service.md.
package load
