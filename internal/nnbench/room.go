package nnbench

import (
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/internal/memory"
)

// largest is what a program takes at the most for a network, as measured, by the
// first part of its name; the others take less than a gigabyte.
var largest = map[string]float64{"sd21-unet": 5 << 30, "sd21-decoder": 2 << 30, "sd21-turbo": 6 << 30, "sd21-dpm": 6 << 30, "sd21-ddim": 6 << 30}

// checkRoom refuses networks that the machine has no room for, in some programs.
func checkRoom(cases []Case, programs int) error {
	var need float64
	var network string
	for _, c := range cases {
		for kind, bytes := range largest {
			if strings.HasPrefix(c.Network, kind+"-") && bytes > need {
				need, network = bytes, c.Network
			}
		}
	}
	if need == 0 {
		return nil
	}
	what := "the weights and activations of " + network
	if programs > 1 {
		what += fmt.Sprintf(", in %d programs,", programs)
	}
	return memory.CheckMachine(float64(programs), need, what)
}
