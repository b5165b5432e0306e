package nnbench

import (
	"strings"

	"github.com/go-pcd/pcd/internal/memory"
)

// largest is what either program takes at the most for a network, as measured, by the
// first part of its name; the others take less than a gigabyte.
var largest = map[string]float64{"sd21-unet": 5 << 30, "sd21-decoder": 2 << 30}

// checkRoom refuses networks that the machine has no room for, in one program or two.
func checkRoom(cases []Case, peer bool) error {
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
	if peer {
		return memory.CheckMachine(2, need, "the weights and activations of "+network+", here and in PyTorch,")
	}
	return memory.CheckMachine(1, need, "the weights and activations of "+network)
}
