// Package projectbench measures the projectors of package project: how they
// compare with the published iteration done the straightforward way, how their
// time grows with the size of the problem, and how accurate they are. The rows it
// returns are what the command line prints.
package projectbench
