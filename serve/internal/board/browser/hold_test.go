package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// crossing is a scene in which two robots cross the way of a third.
const crossing = `duration: 8
bounds: {min: [-5, -5], max: [5, 5]}
robots:
- {name: ada, start: [-4, 0], goal: [4, 0], radius: 0.3, speed: 2}
- {name: bob, start: [0, -4], goal: [0, 4], radius: 0.3, speed: 2}
- {name: cleo, start: [4, 1], goal: [-4, 1], radius: 0.3, speed: 2}
`

// apart reports whether the bodies on the page of a plan keep apart, to the rounding of the page.
const apart = `(() => {
  const s = stages[0], poses = runs()[0].poses, now = s.actors.map((a, i) => poseAt(a, poses[i], whenOf(s, i)));
  return now.every(([x, y], i) => now.every(([p, q], j) => j >= i || Math.hypot(x - p, y - q) >= s.actors[i].radius + s.actors[j].radius - 8));
})()`

// On the page of a plan a robot is held back with a key: others that its order lets wait do so, and
// nobody touches anybody; when it is let go, with the pointer, all arrive.
func TestHoldARobotOnThePageOfAPlan(t *testing.T) {
	dir := t.TempDir()
	scene, out := filepath.Join(dir, "crossing.yaml"), filepath.Join(dir, "out")
	if err := os.WriteFile(scene, []byte(crossing), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.CommandContext(t.Context(), built(t), "plan", scene, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	ctx := window(t, "file://"+filepath.ToSlash(filepath.Join(out, "plan.html")), 1300, 800, false)
	do(t, ctx, chromedp.Poll(`typeof stages !== "undefined" && data.frames > 0`, nil), chromedp.Evaluate(`setPlaying(false), seek(0)`, nil))
	waits := 0
	for robot := 1; robot <= 3; robot++ {
		do(t, ctx, chromedp.Evaluate(`seek(data.frames * 0.1)`, nil), chromedp.KeyEvent(fmt.Sprint(robot)))
		wait := fmt.Sprintf(`stages[0].held.has(%d) && document.querySelectorAll(".state")[%d].value === "held"`, robot-1, robot-1)
		do(t, ctx, chromedp.Poll(wait, nil))
		for range 40 { // all who go as they like arrive
			do(t, ctx, chromedp.Evaluate(`advance(stages[0], 0, data.frames / 20), draw()`, nil))
			if !eval[bool](t, ctx, apart) {
				t.Errorf("robot %d is held, and somebody touches somebody", robot)
			}
		}
		waits += eval[int](t, ctx, `[...document.querySelectorAll(".state")].filter((s) => s.value.startsWith("waits for")).length`)
		if robot == 1 {
			picture(t, ctx, "hold")
		}
		do(t, ctx, chromedp.Click(fmt.Sprintf(`.actors li:nth-child(%d) .hold`, robot)), chromedp.Poll(`stages[0].held.size === 0`, nil))
		for range 60 {
			do(t, ctx, chromedp.Evaluate(`advance(stages[0], 0, data.frames / 20)`, nil))
			if !eval[bool](t, ctx, apart) {
				t.Errorf("robot %d is late, and somebody touches somebody", robot)
			}
		}
		if !eval[bool](t, ctx, `arrived(stages[0])`) {
			t.Errorf("robot %d was held and let go, and not all arrive", robot)
		}
	}
	if waits == 0 {
		t.Error("nobody waits for anybody")
	}
	do(t, ctx, chromedp.KeyEvent(kb.Home))
	if !eval[bool](t, ctx, `stages[0].progress === null && time === 0`) {
		t.Error("from the beginning they are not on time")
	}
}
