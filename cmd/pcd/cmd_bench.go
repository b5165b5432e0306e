package main

import "github.com/spf13/cobra"

func newBenchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure speed and accuracy; every row names the machine",
		Args:  cobra.ArbitraryArgs,
	}
	c.AddCommand(newBenchToyCommand(), newBenchProjectionCommand(), newBenchNNCommand(), newBenchPlanCommand(), newBenchPushCommand(), newBenchPairCommand(), newBenchPlacementCommand())
	return c
}
