package nav2d_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
)

// colliding is a scene whose robots start and end wherever chance puts them.
type colliding struct {
	head   string
	robots []collidingRobot
}

type collidingRobot struct {
	name   string
	radius float64
	ends   [2]string // "x, y"
}

// drawColliding draws a hall at a corner with obstacles that overlap, traffic, and robots that lie on them, on each other
// and outside.
func drawColliding(r *rand.Rand, x, y float64) colliding {
	width, height := 6+r.Float64()*8, 6+r.Float64()*8
	place := func() string {
		return fmt.Sprintf("%.3f, %.3f", x+width*(1.1*r.Float64()-0.05), y+height*(1.1*r.Float64()-0.05))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "bounds: {min: [%v, %v], max: [%v, %v]}\nmargin: %v\n", x, y, x+width, y+height, []float64{0, 0.05, 0.2}[r.IntN(3)])
	fmt.Fprintf(&b, "duration: %v\n", []string{"shortest", "60"}[r.IntN(2)])
	b.WriteString("circles:\n- {center: [-9, -9], radius: 1}\n")
	for range r.IntN(6) {
		fmt.Fprintf(&b, "- {center: [%s], radius: %.2f}\n", place(), 0.1+r.Float64())
	}
	b.WriteString("boxes:\n- {center: [-9, -9], size: [1, 1]}\n")
	for range r.IntN(6) {
		fmt.Fprintf(&b, "- {center: [%s], size: [%.2f, %.2f]}\n", place(), 0.1+2*r.Float64(), 0.1+2*r.Float64())
	}
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "traffic: [{name: cart, radius: 0.4, path: [[0, %s], [%d, %s]]}]\n", place(), 5+r.IntN(70), place())
	}
	c := colliding{head: b.String()}
	for i := range 2 + r.IntN(9) {
		a := collidingRobot{fmt.Sprint("r", i), 0.1 + 0.5*r.Float64(), [2]string{place(), place()}}
		if i > 0 && r.IntN(3) == 0 { // right on top of another one
			a.ends[r.IntN(2)] = c.robots[r.IntN(i)].ends[r.IntN(2)]
		}
		c.robots = append(c.robots, a)
	}
	return c
}

func (c colliding) String() string {
	var b strings.Builder
	b.WriteString(c.head + "robots:\n")
	for _, r := range c.robots {
		fmt.Fprintf(&b, "- {name: %s, start: [%s], goal: [%s], radius: %v, speed: 1}\n", r.name, r.ends[0], r.ends[1], r.radius)
	}
	return b.String()
}

var (
	refusedPlace = regexp.MustCompile(`the (start|goal)s? (?:\(.*?\) )?of (?:\w+ and )?(\w+) `)
	freePlace    = regexp.MustCompile(`; (\w+) fits at \(([^)]*)\)`)
	noWay        = regexp.MustCompile(`(\w+) cannot reach its goal: obstacles`)
)

// moved returns the scene with all robots where a refusal says that they fit, and whether all its lines say so.
func (c colliding) moved(t *testing.T, refusal error) (out colliding, all bool) {
	out, all = colliding{c.head, slices.Clone(c.robots)}, true
	done := map[string]string{}
	for _, line := range strings.Split(refusal.Error(), "\n") {
		what, fits := refusedPlace.FindStringSubmatch(line), freePlace.FindStringSubmatch(line)
		if fits == nil {
			all = all && strings.HasSuffix(line, " more")
			continue
		}
		if what == nil || what[2] != fits[1] {
			t.Fatalf("%q: who is moved?", line)
		}
		key := what[1] + " of " + what[2]
		if before := done[key]; before != "" && before != fits[2] {
			t.Errorf("the %s is told two places, (%s) and (%s):\n%v", key, before, fits[2], refusal)
		}
		done[key] = fits[2]
		k := slices.IndexFunc(out.robots, func(r collidingRobot) bool { return r.name == fits[1] })
		out.robots[k].ends[map[string]int{"start": 0, "goal": 1}[what[1]]] = fits[2]
	}
	return out, all
}

// The places that the refusal of a scene tells are free together: with all robots moved there the scene is accepted, and there are
// ways. A robot that is told a place in one of its messages is told the same in all of them.
func TestRefusedPlacesAreFreeTogether(t *testing.T) {
	n := 150
	if thorough.Asked() {
		n = 1500
	}
	refused, helped := 0, 0
	for seed := range n {
		r := rand.New(rand.NewPCG(7, uint64(seed)))
		corner := [][2]float64{{0, 0}, {432000, 5410000}, {-700.5, -3}}[r.IntN(3)]
		scene := drawColliding(r, corner[0], corner[1])
		task, err := taskOf(t, scene.String())
		if err == nil {
			continue
		}
		refused++
		first, all := err, true
		for rounds := 0; err != nil && all && rounds < 10; rounds++ { // of many problems some are told when others are mended
			scene, all = scene.moved(t, err)
			task, err = taskOf(t, scene.String())
			if err != nil && all && !strings.HasSuffix(first.Error(), " more") {
				t.Fatalf("seed %d: told\n%v\nand there\n%v\nin\n%s", seed, first, err, scene)
			}
		}
		if err != nil || !all {
			continue
		}
		helped++
		for _, line := range strings.Split(fmt.Sprint(task.CheckReach(task.Waypoints, task.Step)), "\n") {
			if who := noWay.FindStringSubmatch(line); who != nil && strings.Contains(first.Error(), who[1]+" fits at ") {
				t.Errorf("seed %d: %s", seed, line)
			}
		}
	}
	if helped < refused*9/10 {
		t.Errorf("of %d refused scenes %d are told what helps", refused, helped)
	}
}

// Who finds no place beside those that others are told is the first to be told one.
func TestRefusedPlacesInAnotherOrder(t *testing.T) {
	const scene = `bounds: {min: [0, 0], max: [8, 4]}
margin: 0
duration: 60
boxes: [{center: [5, 1.8], size: [0.4, 3.6]}, {center: [4, 3.8], size: [8, 0.4]}]
robots:
- {name: ada, start: [5.1, 1.5], goal: [5.1, 1.3], radius: 0.3, speed: 1}
- {name: bob, start: [8.5, 1.5], goal: [6.7, 1.7], radius: 1.25, speed: 1}
`
	_, err := taskOf(t, scene)
	if err == nil || strings.Count(err.Error(), "fits at") != strings.Count(err.Error(), "\n")+1 {
		t.Error(err)
	}
}
