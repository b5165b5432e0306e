package policy

import (
	"fmt"
	"math"
)

// Certificate says by how much commands exceed limits at most, 0 or less when they keep them.
// It is judged in float64 on the float32 numbers that were given out, and shares nothing with
// what made them.
type Certificate struct {
	Certified    bool    `json:"certified"`
	Commands     int     `json:"commands"`
	Box          float64 `json:"box"` // worst excess; 0 where there is no limit
	Speed        float64 `json:"speed"`
	Acceleration float64 `json:"acceleration"`
}

// Certify judges the commands that a robot was given one after the other, rows of as many
// numbers as start has: where it was, at rest, before the first.
func (l *Limits) Certify(start []float32, commands []float32) (Certificate, error) {
	groups, err := l.check()
	if err != nil {
		return Certificate{}, err
	}
	n := l.size()
	if len(start) != n || len(commands)%n != 0 {
		return Certificate{}, &LimitError{"length of commands", fmt.Sprintf("%d after a start of %d", len(commands), len(start)), fmt.Sprintf("rows of %d", n)}
	}
	c := Certificate{Commands: len(commands) / n, Box: math.Inf(-1), Speed: math.Inf(-1), Acceleration: math.Inf(-1)}
	before, speed := start, make([]float64, n)
	for ; len(commands) > 0; commands = commands[n:] {
		step := make([]float64, n)
		for i, v := range commands[:n] {
			step[i] = float64(v) - float64(before[i])
			c.Box = worse(c.Box, max(l.Min[i]-float64(v), float64(v)-l.Max[i]))
		}
		for g, members := range groups {
			var v, a float64
			for _, i := range members {
				v, a = math.Hypot(v, step[i]), math.Hypot(a, step[i]-speed[i])
			}
			if l.Speed != nil && l.Speed[g] > 0 {
				c.Speed = worse(c.Speed, v-l.Speed[g])
			}
			if l.Acceleration != nil && l.Acceleration[g] > 0 {
				c.Acceleration = worse(c.Acceleration, a-l.Acceleration[g])
			}
		}
		before, speed = commands[:n], step
	}
	c.Certified = c.Commands > 0 && max(c.Box, c.Speed, c.Acceleration) <= 0
	for _, v := range []*float64{&c.Box, &c.Speed, &c.Acceleration} {
		if math.IsInf(*v, -1) {
			*v = 0 // there is no such limit
		}
	}
	return c, nil
}

// worse returns the larger excess; one that is not a number is infinite.
func worse(a, b float64) float64 {
	if math.IsNaN(b) {
		return math.Inf(1)
	}
	return max(a, b)
}
