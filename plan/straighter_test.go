package plan

import (
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// aisles is a scene of racks in which samples lead through walls.
const aisles = `units: m
duration: 40
bounds: {min: [0, 0], max: [11, 9]}
boxes:
  - {center: [1.5, 2.5], size: [1, 3]}
  - {center: [1.5, 6.5], size: [1, 3]}
  - {center: [3.5, 2.5], size: [1, 3]}
  - {center: [3.5, 6.5], size: [1, 3]}
  - {center: [5.5, 2.5], size: [1, 3]}
  - {center: [5.5, 6.5], size: [1, 3]}
  - {center: [7.5, 2.5], size: [1, 3]}
  - {center: [7.5, 6.5], size: [1, 3]}
  - {center: [9.5, 2.5], size: [1, 3]}
  - {center: [9.5, 6.5], size: [1, 3]}
robots:
  - {name: r0, start: [8.5, 3.5], goal: [10.5, 4], radius: 0.35, speed: 2}
  - {name: r1, start: [8.5, 7], goal: [6.5, 2.5], radius: 0.35, speed: 2}
  - {name: r2, start: [6.5, 2.5], goal: [10.5, 6], radius: 0.35, speed: 2}
  - {name: r3, start: [6.5, 4], goal: [4.5, 8], radius: 0.35, speed: 2}
`

// Plans in aisles do not wind: they are hardly longer than the shortest ways of the robots alone.
func TestPlansDoNotWind(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of TestDeliveryDoesNotDependOnWorkers")
	}
	team := teamOf(t, strings.NewReader(aisles))
	p := delivered(t, team, Options{})
	sum, routes := 0.0, team.routes()
	for i, r := range team.Robots {
		sum += geom.Length(routes.Round(routes.Disks[i], r.Start, r.Goal)) * team.LengthUnit()
	}
	if !p.Certificate.Certified || p.Length > 1.3*sum {
		t.Errorf("certified %v, %.4g long, the shortest ways are %.4g", p.Certificate.Certified, p.Length, sum)
	}
}
