package browser

import (
	"context"
	"fmt"
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

// Scenes are loaded together with the maps, teams and places that they name.
func TestScenesAreLoaded(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	for _, c := range []struct{ files, holds string }{
		{"hall.yaml hall.map.yaml hall.pgm", `board.scene.value.robots.length === 6 && board.scene.value.polygons?.length > 3 && ` + certified},
		{"../intersection.yaml", `board.scene.value.robots.length > 1 && board.scene.value.traffic?.length > 0 && ` + certified},
		{"random-32.yaml random-32.map random-32.scen", `board.scene.value.robots.length === 100 && board.scene.value.polygons?.length === 83`},
	} {
		load(t, ctx, "examples/maps/", strings.Fields(c.files)...)
		wait(t, ctx, c.holds)
		if strings.HasPrefix(c.files, "hall.yaml") {
			picture(t, ctx, "board-map")
		}
		do(t, ctx, chromedp.Click(`#new`, chromedp.ByQuery))
	}
}

// load gives files of a folder of the project to the board, which is empty before.
func load(t *testing.T, ctx context.Context, folder string, files ...string) {
	t.Helper()
	var paths []string
	for _, f := range files {
		path, err := filepath.Abs(filepath.Join("..", "..", "..", "..", filepath.FromSlash(folder), f))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	do(t, ctx, chromedp.Click(`#new`, chromedp.ByQuery), chromedp.SetUploadFiles(`#file`, paths, chromedp.ByQuery))
}

// Maps of every format that the command reads are drawn: so many obstacles of each.
func TestMapsAreLoaded(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	for files, obstacles := range map[string]int{
		"movingai/terrain.map": 4, "movingai/warehouse-44-1.map": 24, "movingai/crlf.map": 2,
		"ros/raw.yaml ros/raw.pgm": 40, "ros/plain.yaml ros/plain.pgm": 18, "ros/negate.yaml ros/negate.pgm": 19, "ros/rotated.yaml ros/rotated.pgm": 23, "ros/maxval.yaml ros/maxval.pgm": 19,
		"ros/deep_pgm.yaml ros/deep.pgm": 18, "ros/rgb.yaml ros/rgb.png": 19, "ros/palette.yaml ros/palette.png": 18, "ros/deep.yaml ros/deep.png": 18, "ros/scale.yaml ros/scale.png": 68,
		"rmf/sample.building.yaml": 8, "rmf/cartesian.building.yaml": 8, "geojson/obstacles.geojson": 24,
	} {
		load(t, ctx, "internal/maps/testdata/maps/", strings.Fields(files)...)
		wait(t, ctx, fmt.Sprintf(`board.scene.value.robots.length === 0 && board.scene.value.polygons?.length === %d && document.querySelectorAll('#scene polygon.solid').length === %d`, obstacles, obstacles))
	}
	for _, files := range []string{"geojson/route_graph.geojson", "rmf/nav_graphs/0.yaml"} { // lanes without walls
		load(t, ctx, "internal/maps/testdata/maps/", files)
		wait(t, ctx, `document.getElementById('status').textContent.includes('no walls')`)
	}
	for _, files := range []string{"ros/short.pgm", "ros/bad_image.yaml", "movingai/bad_width.map", "geojson/bowtie.geojson"} {
		load(t, ctx, "internal/maps/testdata/maps/", files)
		wait(t, ctx, `document.querySelectorAll('#problems li').length > 0`)
	}
}

// crossed says that a cross is at a point of the scene.
func crossed(x, y float64) string {
	return fmt.Sprintf(`[...document.querySelectorAll('#scene .at')].some(e => { const b = e.getBBox(); return Math.hypot(b.x + b.width / 2 - %g, b.y + b.height / 2 + %g) < 0.01 })`, x, y)
}

// marked says that an object is: in red, by a cross at a point, in its name for those who do not see it, and in the field of a key.
func marked(object string, x, y float64, key string) string {
	g := `document.querySelector('[data-key=` + object + `]')`
	return g + `.querySelector('.wrong') && ` + g + `.getAttribute('aria-label').includes('want ') && ` + crossed(x, y) +
		` && (document.querySelectorAll('#objects button')[board.scene.objects().findIndex(o => o.kind + '-' + o.index === '` + object + `')].click(),
			document.querySelector('[data-field="` + key + `"][aria-invalid=true]'))`
}

// Every mistake is marked where it is: the robot and its place, the point, the object and its number.
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
		"a radius below zero":     {scene(`{name: 'ada', start: [1, 5], goal: [9, 5], radius: -1, speed: 2}, `+bob, ``), marked("robots-0", 1, 5, "robots[0].radius")},
		"one name for two":        {scene(`{name: 'bob', start: [1, 5], goal: [9, 5], radius: 0.4, speed: 2}, `+bob, ``), marked("robots-1", 9, 1, "robots[1].name")},
		"no speed":                {scene(bob+`, {name: 'a (b).c', start: [1, 5], goal: [9, 5], radius: 0.4, speed: 0}`, ``), marked("robots-1", 1, 5, "robots[1].speed")},
		"a polygon that is none":  {scene(bob, `, polygons: [{points: [[1, 1], [3, 3], [3, 1], [1, 3]]}]`), marked("polygons-0", 1, 1, "polygons[0].points")},
		"a pillar without radius": {scene(bob, `, circles: [{center: [5, 5], radius: 1}, {center: [2, 2], radius: 0}]`), marked("circles-1", 2, 2, "circles[1].radius")},
		"a box without width":     {scene(bob, `, boxes: [{center: [2, 3], size: [0, 1]}]`), marked("boxes-0", 2, 3, "boxes[0].size")},
		"traffic without radius":  {scene(bob, `, traffic: [{radius: -1, path: [[0, 1, 2], [1, 2, 2]]}]`), `document.querySelector('[data-key=traffic-0] .wrong') && ` + crossed(1, 2)},
		"a hall without height":   {scene(bob, `, bounds: {min: [0, 0], max: [10, 0]}`), `document.querySelector('.bounds.wrong') && document.querySelectorAll('[data-field="bounds.max"][aria-invalid=true]').length === 2`},
	} {
		do(t, ctx, chromedp.Evaluate(`board.view.selected = null`, nil)) // by the case before: the fields would be those of that object
		do(t, ctx, chromedp.Evaluate(c.scene, nil))
		if err := chromedp.Run(ctx, chromedp.Poll(`document.querySelectorAll('#problems li').length > 0 && !board.planner.running && !board.planner.stale`, nil, chromedp.WithPollingTimeout(patience))); err != nil {
			t.Errorf("%s: nothing is said: %q", name, eval[string](t, ctx, `document.getElementById('status').textContent`))
			continue
		}
		if said := eval[string](t, ctx, `document.getElementById('problems').innerText`); !eval[bool](t, ctx, `Boolean(`+c.marks+`)`) {
			t.Errorf("%s is not marked; %q", name, said)
		} else {
			t.Logf("%s: %s", name, strings.ReplaceAll(said, "\n", " | "))
		}
		if name == "a pillar without radius" {
			picture(t, ctx, "board-mistake")
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
