package planner

import (
	"math"
	"strconv"

	"github.com/go-pcd/pcd/plan"
)

// Units names the units of a summary and of the files beside it.
type Units struct {
	Length string `json:"length"`
	Time   string `json:"time"`
	Speed  string `json:"speed"` // of limits, violations and top speeds
}

// unitsOf returns the units of a task: those of a scene, or map units with speeds in
// normalised units of the model per second, as in the published tables.
func unitsOf(t plan.Team) Units {
	switch {
	case !t.IsScene():
		return Units{Length: "map units", Time: "s", Speed: "normalised units/s"}
	case t.Units == "":
		return Units{Length: "scene units", Time: "s", Speed: "scene units/s"}
	}
	return Units{Length: t.Units, Time: "s", Speed: t.Units + "/s"}
}

// inUnits returns a speed in the units of the task, given in those that speeds are
// judged in. It has twelve digits: a limit of 2 is 2.
func inUnits(t plan.Team, speed float64) float64 { return digits(t.SpeedUnit() * speed) }

// digits rounds to twelve significant digits.
func digits(v float64) float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if err != nil {
		return v
	}
	return out
}
