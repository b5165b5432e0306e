package main

import "github.com/spf13/cobra"

func newPlotCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "plot",
		Short: "Draw the figures of an experiment",
		Args:  cobra.ArbitraryArgs,
	}
	c.AddCommand(newPlotNav2DCommand(), newPlotPushTCommand())
	return c
}
