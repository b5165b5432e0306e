package main

import (
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/settings"
)

// number adds the flag of a row of the table of settings.
func number[T int | float64](f *pflag.FlagSet, to *T, n settings.Number) {
	switch to := any(to).(type) {
	case *int:
		f.IntVar(to, n.Name, int(n.Default), n.Help)
	case *float64:
		f.Float64Var(to, n.Name, n.Default, n.Help)
	}
}
