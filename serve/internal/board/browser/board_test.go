package browser

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// touch draws from one point of the scene to another with a finger.
func touch(t *testing.T, ctx context.Context, x0, y0, x1, y1 float64) {
	t.Helper()
	a, b := on(t, ctx, x0, y0)
	c, d := on(t, ctx, x1, y1)
	at := func(x, y float64) []*input.TouchPoint { return []*input.TouchPoint{{X: x, Y: y}} }
	do(t, ctx, input.DispatchTouchEvent(input.TouchStart, at(a, b)), input.DispatchTouchEvent(input.TouchMove, at((a+c)/2, (b+d)/2)),
		input.DispatchTouchEvent(input.TouchMove, at(c, d)), input.DispatchTouchEvent(input.TouchEnd, []*input.TouchPoint{}))
}

// click presses and lets go at a point of the scene.
func click(t *testing.T, ctx context.Context, x, y float64, count int64) {
	t.Helper()
	a, b := on(t, ctx, x, y)
	do(t, ctx, input.DispatchMouseEvent(input.MousePressed, a, b).WithButton(input.Left).WithButtons(1).WithClickCount(count),
		input.DispatchMouseEvent(input.MouseReleased, a, b).WithButton(input.Left).WithClickCount(count))
}

// A scene is drawn with polygons, fingers and keys; undone and done again; saved and loaded; and written in every format.
func TestDrawSaveAndWrite(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	dir := t.TempDir()
	do(t, ctx, browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(dir).WithEventsEnabled(true))
	use(t, ctx, "polygon")
	for _, p := range [][2]float64{{4, 4}, {4, 6}, {6, 6.5}} { // clockwise
		click(t, ctx, p[0], p[1], 1)
	}
	click(t, ctx, 6.2, 4, 1)
	click(t, ctx, 6.2, 4, 2)
	wait(t, ctx, `board.scene.value.polygons?.length === 1 && board.scene.value.polygons[0].points.length === 4`)
	use(t, ctx, "robot")
	touch(t, ctx, 1, 5, 9, 5.2)
	wait(t, ctx, `board.scene.value.robots.length === 1`)
	touch(t, ctx, 9, 4, 1, 3)
	wait(t, ctx, `board.scene.value.robots.length === 2 && `+certified)
	use(t, ctx, "select")
	touch(t, ctx, 1, 5, 1.5, 7) // a start, with a finger
	wait(t, ctx, `board.scene.value.robots[0].start[1] === 7 && board.scene.value.robots[0].goal[1] === 5.2 && `+certified)
	do(t, ctx, chromedp.Click(`#undo`, chromedp.ByQuery))
	wait(t, ctx, `board.scene.value.robots[0].start[1] === 5`)
	do(t, ctx, chromedp.Click(`#redo`, chromedp.ByQuery))
	wait(t, ctx, `board.scene.value.robots[0].start[1] === 7 && `+certified)
	drawn := eval[string](t, ctx, `JSON.stringify(board.scene.value.robots)`)
	do(t, ctx, chromedp.Click(`#save`, chromedp.ByQuery))
	saved := downloaded(t, dir, "scene.yaml")
	do(t, ctx, chromedp.Click(`#new`, chromedp.ByQuery))
	wait(t, ctx, `board.scene.value.robots.length === 0`)
	do(t, ctx, chromedp.SetUploadFiles(`#file`, []string{saved}, chromedp.ByQuery))
	wait(t, ctx, `board.scene.value.robots.length === 2 && `+certified)
	if again := eval[string](t, ctx, `JSON.stringify(board.scene.value.robots)`); len(again) != len(drawn) {
		t.Errorf("%s was loaded, and %s saved", again, drawn)
	}
	for format, file := range map[string]struct{ name, begins string }{
		"json": {"plan.json", "{"}, "html": {"plan.html", "<!"}, "png": {"plan.png", "\x89PNG"}, "svg": {"plan.svg", "<?xml"}, "gif": {"plan.gif", "GIF89a"}, "csv": {"plan.csv", "robot,"},
		"mcap": {"plan.mcap", "\x89MCAP"}, "ros": {"plan-ros.zip", "PK"}, "vda5050": {"plan-vda5050.zip", "PK"}, "vda5050-2.1": {"plan-vda5050-2.1.zip", "PK"},
	} {
		do(t, ctx, chromedp.Click(`[data-format="`+format+`"]`, chromedp.ByQuery))
		text, err := os.ReadFile(downloaded(t, dir, file.name))
		if err != nil || len(text) < 300 || !strings.HasPrefix(strings.ToLower(string(text)), strings.ToLower(file.begins)) {
			t.Errorf("%s: %v, %.40q", file.name, err, text)
		}
	}
	picture(t, ctx, "board-polygon")
}

// downloaded waits for a file of the browser and returns its path.
func downloaded(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	for began := time.Now(); time.Since(began) < patience; time.Sleep(50 * time.Millisecond) {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			if left, _ := filepath.Glob(filepath.Join(dir, "*.crdownload")); len(left) == 0 {
				return path
			}
		}
	}
	all, _ := os.ReadDir(dir)
	t.Fatalf("%s was not written, there are %v", name, all)
	return ""
}

// Maps of every kind are loaded with the scenes that name them, or alone.
func TestMapsAreLoaded(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	ctx := page(t, serve(t), 1280, 800, false)
	for _, c := range []struct {
		files []string
		holds string
	}{
		{[]string{"examples/maps/hall.yaml", "examples/maps/hall.map.yaml", "examples/maps/hall.pgm"}, `board.scene.value.robots.length === 6 && board.scene.value.polygons?.length > 3 && ` + certified},
		{[]string{"examples/maps/hall.map.yaml", "examples/maps/hall.pgm"}, `board.scene.value.robots.length === 0 && board.scene.value.polygons?.length > 3`},
		{[]string{"examples/maps/random-32.map"}, `board.scene.value.robots.length === 0 && board.scene.value.polygons?.length > 20`},
		{[]string{"internal/maps/testdata/maps/geojson/obstacles.geojson"}, `board.scene.value.robots.length === 0 && board.scene.value.bounds.max[0] === 19 && board.scene.value.polygons.length > 5`},
		{[]string{"examples/intersection.yaml"}, `board.scene.value.robots.length > 1 && board.scene.value.traffic?.length > 0 && ` + certified},
	} {
		var paths []string
		for _, f := range c.files {
			path, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(f)))
			if err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		do(t, ctx, chromedp.Click(`#new`, chromedp.ByQuery), chromedp.SetUploadFiles(`#file`, paths, chromedp.ByQuery))
		wait(t, ctx, c.holds)
		if strings.HasSuffix(c.files[0], "hall.yaml") {
			picture(t, ctx, "board-map")
		}
	}
}

// Every mistake is marked where it is: the robot and its place, and the point.
func TestMistakesAreMarked(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	scene := func(robots, more string) string {
		return `board.scene.replace({units: 'm', duration: 12, bounds: {min: [0, 0], max: [10, 10]}, circles: [{center: [5, 5], radius: 1}], robots: [` + robots + `]` + more + `})`
	}
	bob := `{name: 'bob', start: [9, 1], goal: [9, 9], radius: 0.4, speed: 2}`
	for name, c := range map[string]struct{ scene, marks string }{
		"a start in a pillar":     {scene(`{name: 'ada', start: [5, 5], goal: [9, 5], radius: 0.4, speed: 2}, `+bob, ``), `document.querySelector('[data-part=start].wrong')`},
		"a goal in a pillar":      {scene(`{name: 'ada', start: [1, 5], goal: [5, 5.5], radius: 0.4, speed: 2}, `+bob, ``), `document.querySelector('[data-part=goal].wrong')`},
		"a start outside":         {scene(`{name: 'ada', start: [-1, 5], goal: [9, 5], radius: 0.4, speed: 2}, `+bob, ``), `document.querySelector('[data-part=start].wrong')`},
		"a goal outside":          {scene(`{name: 'ada', start: [1, 5], goal: [9, 15], radius: 0.4, speed: 2}, `+bob, ``), `document.querySelector('[data-part=goal].wrong')`},
		"two starts that touch":   {scene(`{name: 'ada', start: [9, 1.5], goal: [1, 5], radius: 0.4, speed: 2}, `+bob, ``), `document.querySelector('[data-part=start].wrong')`},
		"two goals that touch":    {scene(`{name: 'ada', start: [1, 1.5], goal: [9, 9.2], radius: 0.4, speed: 2}, `+bob, ``), `document.querySelector('[data-part=goal].wrong')`},
		"too slow":                {scene(`{name: 'ada', start: [1, 5], goal: [9, 5], radius: 0.4, speed: 0.1}, `+bob, ``), `document.querySelector('.wrong')`},
		"walled in":               {scene(`{name: 'ada', start: [1, 1], goal: [9, 5], radius: 0.4, speed: 2}, `+bob, `, boxes: [{center: [2, 5], size: [0.2, 10]}]`), `document.querySelector('.wrong')`},
		"a radius below zero":     {scene(`{name: 'ada', start: [1, 5], goal: [9, 5], radius: -1, speed: 2}, `+bob, ``), `true`},
		"one name for two":        {scene(`{name: 'bob', start: [1, 5], goal: [9, 5], radius: 0.4, speed: 2}, `+bob, ``), `true`},
		"a polygon that is none":  {scene(bob, `, polygons: [{points: [[1, 1], [3, 3], [3, 1], [1, 3]]}]`), `true`},
		"a pillar without radius": {scene(bob, `, circles: [{center: [2, 2], radius: 0}]`), `true`},
	} {
		do(t, ctx, chromedp.Evaluate(c.scene, nil))
		if err := chromedp.Run(ctx, chromedp.Poll(`document.querySelectorAll('#problems li').length > 0 && !board.planner.running && !board.planner.stale`, nil, chromedp.WithPollingTimeout(20*time.Second))); err != nil {
			t.Errorf("%s: nothing is said: %q", name, eval[string](t, ctx, `document.getElementById('status').textContent`))
			continue
		}
		if said := eval[string](t, ctx, `document.getElementById('problems').innerText`); !eval[bool](t, ctx, `Boolean(`+c.marks+`)`) {
			t.Errorf("%s is not marked; %q", name, said)
		} else {
			t.Logf("%s: %s", name, strings.ReplaceAll(said, "\n", " | "))
		}
		do(t, ctx, chromedp.Evaluate(scene(bob, ``), nil))
		wait(t, ctx, certified+` && !document.querySelector('#problems li')`)
	}
}

// A team drives: a goal, an obstacle and a robot that is held back are seen by the session, and the robots arrive.
func TestDriveThroughDisturbances(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	do(t, ctx, chromedp.Evaluate(`board.scene.replace({units: 'm', duration: 12, bounds: {min: [0, 0], max: [10, 10]}, polygons: [{points: [[4, 4], [6, 4], [5, 6]]}],
		robots: [{name: 'ada', start: [1, 5], goal: [9, 5], radius: 0.4, speed: 2}, {name: 'bob', start: [9, 2], goal: [1, 8], radius: 0.4, speed: 2}]})`, nil))
	wait(t, ctx, certified)
	use(t, ctx, "select")
	do(t, ctx, chromedp.Click(`#drive`, chromedp.ByQuery))
	wait(t, ctx, `board.driver.updates > 0`)
	use(t, ctx, "box")
	drag(t, ctx, 2, 1, 3, 2)
	wait(t, ctx, `board.driver.session.number > 1`)
	use(t, ctx, "select")
	drag(t, ctx, 9, 5, 9, 8)
	wait(t, ctx, `Math.abs(board.driver.session.plan.robots[0].y.at(-1) - 8) < 0.1`)
	do(t, ctx, chromedp.Click(`#hold`, chromedp.ByQuery))
	wait(t, ctx, `board.driver.held === null`)
	wait(t, ctx, `board.driver.session.kind !== 'unsafe' && Math.hypot(board.view.body.children[0].getAttribute('cx') - 9, -board.view.body.children[0].getAttribute('cy') - 8) < 0.05`)
	wait(t, ctx, `Math.hypot(board.view.body.children[1].getAttribute('cx') - 1, -board.view.body.children[1].getAttribute('cy') - 8) < 0.05`)
	if said := eval[string](t, ctx, `document.getElementById('status').textContent`); !strings.Contains(said, "ertified") {
		t.Errorf("at the end it says %q", said)
	}

}
