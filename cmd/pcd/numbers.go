package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/settings"
)

// number adds the flag of a row of the table of settings. What is given is compared with the
// row before a command runs.
func number[T int | float64](f *pflag.FlagSet, to *T, n settings.Number) {
	switch to := any(to).(type) {
	case *int:
		f.IntVar(to, n.Name, int(n.Default), n.Help)
	case *float64:
		f.Float64Var(to, n.Name, n.Default, n.Help)
	}
	annotate(f, n)
}

// numbers adds a flag for several numbers of a row, which are those of to without it.
func numbers(f *pflag.FlagSet, to *[]int, n settings.Number) {
	f.IntSliceVar(to, n.Name, *to, n.Help)
	annotate(f, n)
}

// rowKey is the annotation of a flag with the range of its row.
const rowKey = "pcd_row"

func annotate(f *pflag.FlagSet, n settings.Number) {
	float := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	row := []string{float(n.Low), float(n.High), strconv.FormatBool(n.Above), strconv.FormatBool(n.Whole)}
	if err := f.SetAnnotation(n.Name, rowKey, row); err != nil {
		panic(err) // the flag was added above
	}
}

// rowOf returns the range of the row of a flag.
func rowOf(f *pflag.Flag) (n settings.Number, ok bool) {
	row := f.Annotations[rowKey]
	if len(row) != 4 {
		return n, false
	}
	n.Name = f.Name
	n.Low, _ = strconv.ParseFloat(row[0], 64)
	n.High, _ = strconv.ParseFloat(row[1], 64)
	n.Above, n.Whole = row[2] == "true", row[3] == "true"
	return n, true
}

// checkNumbers names the first number of a command line that is out of the range of its row.
func checkNumbers(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if err == nil {
			err = checkNumber(f)
		}
	})
	return err
}

func checkNumber(f *pflag.Flag) error {
	n, ok := rowOf(f)
	if !ok {
		return nil
	}
	values := []string{f.Value.String()}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values = list.GetSlice()
	}
	for _, text := range values {
		if v, err := strconv.ParseFloat(text, 64); err == nil && !n.Allows(v) {
			return usageError{fmt.Errorf("--%s is %s, %s", n.Name, text, n.Want())}
		}
	}
	return nil
}
