package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long the browser may take for one thing. Nothing is measured against it.
const patience = time.Minute

var given = flag.String("program", "", "path of the program, which is built where none is given")

// folder holds the program, once it is built.
var folder string

// build builds the program, once for all tests.
var build = sync.OnceValues(func() (program string, err error) {
	if folder, err = os.MkdirTemp("", "pcd-board-"); err != nil {
		return "", err
	}
	program = filepath.Join(folder, "pcd")
	c := exec.Command("go", "build", "-o", program, "./cmd/pcd")
	c.Dir, c.Env = filepath.Join("..", "..", "..", ".."), append(os.Environ(), "CGO_ENABLED=0") // as it is given to others
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if folder != "" {
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

// built returns the program.
func built(t *testing.T) string {
	t.Helper()
	if *given != "" {
		return *given
	}
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// serve runs the program and returns where it serves.
func serve(t *testing.T) string {
	t.Helper()
	program := built(t)
	command := exec.CommandContext(t.Context(), program, "serve", "--address", "127.0.0.1:0", "--json")
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { command.Wait() })
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var line struct{ Msg, At string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.At != "" {
			go func() {
				for lines.Scan() { // so that it is not held up
				}
			}()
			return line.At
		}
	}
	t.Fatal("the program does not serve")
	return ""
}

// page opens the board in a window of a width.
func page(t *testing.T, url string, width, height int64, dark bool) context.Context {
	t.Helper()
	ctx := window(t, url, width, height, dark)
	do(t, ctx, chromedp.Poll(`window.board !== undefined`, nil))
	return ctx
}

// window opens a page in a window of a width.
func window(t *testing.T, url string, width, height int64, dark bool) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU)
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			options = append(options, chromedp.ExecPath(path))
			break
		}
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 3*patience)
	t.Cleanup(cancel)
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	do(t, ctx, chromedp.EmulateViewport(width, height),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate(url))
	return ctx
}

func do(t *testing.T, ctx context.Context, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// eval returns what an expression of the page gives.
func eval[T any](t *testing.T, ctx context.Context, expression string) (v T) {
	t.Helper()
	do(t, ctx, chromedp.Evaluate(expression, &v))
	return v
}

// wait waits until an expression of the page holds.
func wait(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	if err := chromedp.Run(ctx, chromedp.Poll(expression, nil, chromedp.WithPollingTimeout(patience))); err != nil {
		t.Fatalf("%s: %v; the board says %q", expression, err, eval[string](t, ctx, `document.getElementById('panel').innerText`))
	}
}

// on returns where a point of the scene is in the window.
func on(t *testing.T, ctx context.Context, x, y float64) (float64, float64) {
	t.Helper()
	p := eval[[]float64](t, ctx, fmt.Sprintf(`(() => { const p = new DOMPoint(%g, %g).matrixTransform(document.getElementById('scene').getScreenCTM()); return [p.x, p.y] })()`, x, -y))
	return p[0], p[1]
}

// drag draws from one point of the scene to another.
func drag(t *testing.T, ctx context.Context, x0, y0, x1, y1 float64) {
	t.Helper()
	a, b := on(t, ctx, x0, y0)
	c, d := on(t, ctx, x1, y1)
	do(t, ctx, mouse(input.MousePressed, a, b), mouse(input.MouseMoved, (a+c)/2, (b+d)/2), mouse(input.MouseMoved, c, d), mouse(input.MouseReleased, c, d))
}

func mouse(kind input.MouseType, x, y float64) chromedp.Action {
	return input.DispatchMouseEvent(kind, x, y).WithButton(input.Left).WithButtons(1).WithClickCount(1)
}

func use(t *testing.T, ctx context.Context, tool string) {
	t.Helper()
	do(t, ctx, chromedp.Click(`[data-tool=`+tool+`]`, chromedp.ByQuery))
}

const certified = `document.getElementById('status').className === 'good'`

// picture keeps a picture of the page where they are asked for.
func picture(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv("BOARD_PICTURES")
	if dir == "" {
		return
	}
	var png []byte
	do(t, ctx, chromedp.Sleep(200*time.Millisecond), chromedp.CaptureScreenshot(&png))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}

// drawRooms draws two rooms with a door, and two robots that change rooms.
func drawRooms(t *testing.T, ctx context.Context) {
	t.Helper()
	use(t, ctx, "wall")
	drag(t, ctx, 5, 0.2, 5, 3.4)
	drag(t, ctx, 5, 6.6, 5, 9.8)
	use(t, ctx, "circle")
	drag(t, ctx, 2.5, 8, 2.9, 8)
	use(t, ctx, "robot")
	drag(t, ctx, 1.5, 4, 8.5, 6)
	drag(t, ctx, 8.5, 3.5, 1.5, 6)
	wait(t, ctx, certified)
}

// One draws two rooms with the pointer, gets a plan without asking for it, and plays it.
func TestDrawPlanAndPlay(t *testing.T) {
	url := serve(t)
	for _, c := range []struct {
		name          string
		width, height int64
		dark          bool
	}{{"board", 1280, 800, false}, {"board-dark", 1280, 800, true}, {"board-narrow", 390, 844, false}} {
		ctx := page(t, url, c.width, c.height, c.dark)
		drawRooms(t, ctx)
		do(t, ctx, chromedp.Click(`#play`, chromedp.ByQuery))
		wait(t, ctx, `board.view.time > 3`)
		do(t, ctx, chromedp.Click(`#play`, chromedp.ByQuery))
		if c.width < 800 {
			do(t, ctx, chromedp.Evaluate(`scrollTo(0, 0)`, nil))
		}
		picture(t, ctx, c.name)
		if wide := eval[int64](t, ctx, `document.documentElement.scrollWidth`); wide > c.width {
			t.Errorf("%s: the page is %d wide", c.name, wide)
		}
		moved := eval[bool](t, ctx, `[...board.view.body.children].length === 2 && board.scene.value.robots.every((r, i) => Math.hypot(board.view.body.children[i].getAttribute('cx') - r.start[0], -board.view.body.children[i].getAttribute('cy') - r.start[1]) > 0.01)`)
		if !moved {
			t.Errorf("%s: the robots do not move", c.name)
		}
	}
}

// One click shows a scene with its plan, which undo takes back.
func TestExample(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	do(t, ctx, chromedp.Click(`#example`, chromedp.ByQuery))
	wait(t, ctx, certified+` && board.view.plan.robots.length === 4`)
	picture(t, ctx, "board-example")
	do(t, ctx, chromedp.Click(`#undo`, chromedp.ByQuery))
	wait(t, ctx, `board.scene.value.robots.length === 0 && board.view.plan === null`)
}

// Everything can be done with keys: tools, robots, moves, undo, the plan and its play.
func TestKeysAlone(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	do(t, ctx, chromedp.Focus(`#scene`, chromedp.ByQuery), chromedp.KeyEvent("r"), chromedp.KeyEvent(kb.Enter))
	wait(t, ctx, `board.scene.value.robots.length === 1`)
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	wait(t, ctx, `board.scene.value.robots.length === 2`)
	before := eval[float64](t, ctx, `board.scene.value.robots[1].start[1]`)
	do(t, ctx, chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.ArrowUp))
	wait(t, ctx, fmt.Sprintf(`board.scene.value.robots[1].start[1] > %g`, before))
	do(t, ctx, chromedp.KeyEvent("b"), chromedp.KeyEvent(kb.Enter))
	wait(t, ctx, `board.scene.value.boxes?.length === 1`)
	do(t, ctx, chromedp.KeyEvent(kb.Delete))
	wait(t, ctx, `!board.scene.value.boxes`)
	wait(t, ctx, certified)
	for range 200 { // to the button of the player
		do(t, ctx, chromedp.KeyEvent(kb.Tab))
		if eval[string](t, ctx, `document.activeElement.id`) == "play" {
			break
		}
	}
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	wait(t, ctx, `board.view.time > 1`)
	picture(t, ctx, "board-keys")
	do(t, ctx, chromedp.Evaluate(`document.activeElement.blur(); board.scene.undo()`, nil))
	wait(t, ctx, `board.scene.value.boxes?.length === 1`)
}

// What is wrong is said, and marked where it is.
func TestProblemsAreMarked(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	drawRooms(t, ctx)
	use(t, ctx, "select")
	drag(t, ctx, 1.5, 4, 2.5, 8) // into the pillar
	wait(t, ctx, `document.querySelectorAll('#problems li').length > 0 && document.querySelector('#scene .wrong') !== null && document.querySelector('#scene .at') !== null`)
	picture(t, ctx, "board-problem")
	do(t, ctx, chromedp.Click(`#undo`, chromedp.ByQuery))
	wait(t, ctx, certified+` && !document.querySelector('#problems li')`)
}

// A scene that was saved is the one that is loaded again.
func TestFiles(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	drawRooms(t, ctx)
	same := eval[bool](t, ctx, `(async () => {
		const { yaml } = await import('./scene.js'), { call } = await import('./service.js');
		const read = await call('ReadScene', { files: [{ name: 'scene.yaml', content: btoa(yaml(board.scene.value)) }] });
		const sorted = v => JSON.stringify(v, (k, x) => x && typeof x === 'object' && !Array.isArray(x) ? Object.fromEntries(Object.entries(x).sort()) : x);
		window.same = sorted(read.scene) === sorted(board.scene.value);
		window.export = await Promise.all(['json', 'html', 'png', 'svg'].map(async format => (await call('Export', { format, request: { scene: board.scene.value } })).content.length));
	})(), true`)
	wait(t, ctx, `window.export !== undefined`)
	if !same || !eval[bool](t, ctx, `window.same && window.export.every(n => n > 1000)`) {
		t.Error("a scene that was saved and read is another one, or a file is empty")
	}
}

// Every control has a name for those who do not see it.
func TestNames(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	drawRooms(t, ctx)
	nameless := eval[[]string](t, ctx, `[...document.querySelectorAll('button, input:not([hidden]), select, [tabindex]')].filter(e => !(e.ariaLabel || e.textContent.trim() || e.labels?.[0]?.textContent.trim())).map(e => e.outerHTML)`)
	if len(nameless) > 0 {
		t.Errorf("without a name: %s", strings.Join(nameless, "\n"))
	}
}

// A team drives in the browser: a goal moves, an obstacle comes, a robot is held back, and
// plans take over one after the other.
func TestDrive(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	drawRooms(t, ctx)
	use(t, ctx, "select")
	do(t, ctx, chromedp.Click(`#drive`, chromedp.ByQuery))
	wait(t, ctx, `board.driver.updates > 0`)
	drag(t, ctx, 8.5, 6, 8.5, 8)
	wait(t, ctx, `board.driver.session.plan.robots[0].y.at(-1) > 7`)
	use(t, ctx, "circle")
	drag(t, ctx, 8.5, 1.5, 8.9, 1.5)
	do(t, ctx, chromedp.Click(`#hold`, chromedp.ByQuery))
	before := eval[int](t, ctx, `board.driver.updates`)
	wait(t, ctx, fmt.Sprintf(`board.driver.updates > %d`, before+2))
	picture(t, ctx, "board-drive")
	if !eval[bool](t, ctx, `document.getElementById('player').hidden && !document.getElementById('measures').childElementCount`) {
		t.Error("the plan that was drawn is told of while another one is driven")
	}
	if kind := eval[string](t, ctx, `board.driver.session.kind`); kind == "stopped" {
		t.Errorf("the team stopped: %s", eval[string](t, ctx, `board.driver.session.reason`))
	}
	do(t, ctx, chromedp.Click(`#drive`, chromedp.ByQuery))
	wait(t, ctx, `!board.driver.on && `+certified)
}
