package browser

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const settled = `!board.planner.running && !board.planner.stale`

// said is what the board says of the plan.
const said = `document.getElementById('status').textContent`

// two opens a scene of two robots that cross.
func two(t *testing.T, ctx context.Context) {
	t.Helper()
	run(t, ctx, `board.scene.replace({units: 'm', duration: 12, bounds: {min: [0, 0], max: [10, 10]},
		robots: [{name: 'ada', start: [1, 5], goal: [9, 5], radius: 0.4, speed: 2}, {name: 'bob', start: [9, 2], goal: [1, 8], radius: 0.4, speed: 2}]})`)
	wait(t, ctx, certified+` && `+settled)
}

func run(t *testing.T, ctx context.Context, script string) {
	t.Helper()
	do(t, ctx, chromedp.Evaluate(script, nil))
}

// A plan is not called certified for a scene that has changed since: not when nobody plans while drawing, and not while
// the plan of the scene as it is now is on its way.
func TestPlanOfAnotherScene(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	two(t, ctx)
	do(t, ctx, chromedp.Click(`#live`, chromedp.ByQuery))
	use(t, ctx, "circle")
	drag(t, ctx, 5, 5, 6, 5)
	wait(t, ctx, `board.scene.value.circles?.length === 1`)
	if eval[bool](t, ctx, certified+` || document.getElementById('measures').childElementCount > 0`) {
		t.Errorf("with an obstacle on the ways it says %q", eval[string](t, ctx, said))
	}
	run(t, ctx, `window.written = 0; URL.createObjectURL = () => { written++; return 'data:,' }`)
	do(t, ctx, chromedp.Click(`[data-format=csv]`, chromedp.ByQuery))
	if eval[int](t, ctx, `written`) != 0 {
		t.Error("the plan of the scene before is written as a file")
	}
	do(t, ctx, chromedp.Click(`#certify`, chromedp.ByQuery))
	wait(t, ctx, certified)
	do(t, ctx, chromedp.Click(`#live`, chromedp.ByQuery))
	run(t, ctx, `{ const ask = window.fetch; window.fetch = async (url, o) => { if (url.endsWith('/Plan')) await new Promise(go => { window.go = go }); return ask(url, o); } }`)
	drag(t, ctx, 3, 5, 3.5, 5)
	wait(t, ctx, `window.go && !(`+certified+`)`)
	run(t, ctx, `window.go()`)
	wait(t, ctx, certified)
}

// A service that cannot be reached is not taken for one that says that there is no plan.
func TestNoAnswer(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	two(t, ctx)
	run(t, ctx, `window.real = window.fetch; window.fetch = () => Promise.reject(new TypeError('Failed to fetch'))`)
	do(t, ctx, chromedp.Click(`[data-format=json]`, chromedp.ByQuery))
	wait(t, ctx, said+`.startsWith('The file is not written')`)
	if !eval[bool](t, ctx, `board.view.plan !== null`) {
		t.Error("a file that could not be written took the plan away")
	}
	run(t, ctx, `board.scene.edit(v => { v.duration = 13 })`)
	wait(t, ctx, said+` === 'There is no answer about a plan.' && document.getElementById('problems').innerText.includes('cannot be reached')`)
	run(t, ctx, `window.busy = 0; window.fetch = (url, o) => busy++ ? real(url, o) : Promise.resolve(new Response('{"code":"resource_exhausted","message":"64 wait"}', { status: 429 })); board.planner.touch()`)
	wait(t, ctx, certified) // without another change
}

// Who looks at an object after an undo can still do again what was undone, and a field that cannot be empty is not.
func TestLooksChangeNothing(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	two(t, ctx)
	use(t, ctx, "circle")
	drag(t, ctx, 5, 8, 5.5, 8)
	wait(t, ctx, `board.scene.value.circles?.length === 1`)
	do(t, ctx, chromedp.Click(`#undo`, chromedp.ByQuery))
	use(t, ctx, "select")
	click(t, ctx, 1, 5, 1)
	run(t, ctx, `{ const i = document.querySelector('[data-field="robots[0].start"]'); i.focus(); i.value = ''; i.dispatchEvent(new Event('change')) }`)
	if v := eval[string](t, ctx, `document.querySelector('[data-field="robots[0].start"]').value`); v != "1" {
		t.Errorf("the field of a start that is emptied shows %q, and the start is 1", v)
	}
	do(t, ctx, chromedp.Click(`#redo`, chromedp.ByQuery))
	wait(t, ctx, `board.scene.value.circles?.length === 1`)
}

// What is drawn in one tab is there again when that tab is loaded again, whatever is drawn in others.
func TestTabsKeepTheirScenes(t *testing.T) {
	url := serve(t)
	ctx := page(t, url, 1280, 800, false)
	two(t, ctx)
	other, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	do(t, other, chromedp.Navigate(url))
	wait(t, other, `window.board?.scene.value.robots.length === 2`)
	run(t, other, `board.scene.edit(v => v.robots.pop())`)
	do(t, ctx, chromedp.Reload())
	wait(t, ctx, `window.board?.scene.value.robots.length === 2`)
	do(t, other, chromedp.Reload())
	wait(t, other, `window.board?.scene.value.robots.length === 1`)
}

// Bounds of any size can be drawn in and mended, and a triangle comes with the keys.
func TestBoundsOfAnySize(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	var mu sync.Mutex
	var thrown []string
	chromedp.ListenTarget(ctx, func(event any) {
		if e, ok := event.(*runtime.EventExceptionThrown); ok {
			mu.Lock()
			thrown = append(thrown, e.ExceptionDetails.Exception.Description)
			mu.Unlock()
		}
	})
	for _, most := range []string{"0", "-5", "1e-150", "1e200", "1e308", "10"} {
		run(t, ctx, `board.scene.replace({bounds: {min: [0, 0], max: [`+most+`, `+most+`]}, robots: [{start: [1, 1], goal: [5, 5]}]})`)
		for _, tool := range []string{"c", "p"} {
			do(t, ctx, chromedp.Focus(`#scene`, chromedp.ByQuery), chromedp.KeyEvent(tool), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.ArrowUp))
		}
		if !eval[bool](t, ctx, `board.scene.value.circles?.length === 1 && board.scene.value.polygons?.length === 1`) {
			t.Errorf("nothing can be added in bounds of %s", most)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for _, e := range thrown {
		t.Error(e)
	}
}

// Robots that are drawn while a team drives join it, those that are removed leave it, and one that cannot join keeps nobody from a goal.
func TestTeamChangesWhileItDrives(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	two(t, ctx)
	do(t, ctx, chromedp.Click(`#drive`, chromedp.ByQuery))
	wait(t, ctx, `board.driver.updates > 0`)
	use(t, ctx, "robot")
	drag(t, ctx, 3, 9, 8, 9)
	wait(t, ctx, `board.driver.session.plan.robots.length === 3`)
	run(t, ctx, `board.scene.edit(v => v.robots.push({name: 'out', start: [-3, 1], goal: [9, 1], radius: 0.4, speed: 2}))`)
	wait(t, ctx, `document.getElementById('problems').innerText.includes('out')`)
	picture(t, ctx, "board-join")
	run(t, ctx, `board.scene.edit(v => { v.robots[0].goal = [9, 6] })`)
	wait(t, ctx, `board.driver.session.plan.robots.find(r => r.name === 'ada').y.at(-1) > 5.9`)
	run(t, ctx, `board.scene.edit(v => v.robots.splice(1, 1))`)
	wait(t, ctx, `board.driver.session.plan.robots.map(r => r.name).join() === 'ada,robot 1'`)
	wait(t, ctx, `board.view.body.children[1].getAttribute('fill') === document.querySelector('[data-key=robots-1] .goal').getAttribute('fill')`)
	run(t, ctx, `board.scene.edit(v => { v.circles = [{center: [5, 1], radius: 0}] })`)
	const refused = `document.getElementById('problems').innerText.includes('circles[0].radius')`
	wait(t, ctx, refused)
	before := eval[int](t, ctx, `board.driver.updates`)
	wait(t, ctx, fmt.Sprintf(`board.driver.updates > %d && `, before+1)+refused) // until something else is asked for
	run(t, ctx, `board.scene.edit(v => { v.circles = [{center: [5, 1], radius: 0.2}] })`)
	wait(t, ctx, `!(`+refused+`)`)
	run(t, ctx, `board.scene.edit(v => { v.bounds.max = [12, 12] })`)
	wait(t, ctx, said+`.includes('begins anew')`)
	do(t, ctx, chromedp.Click(`#new`, chromedp.ByQuery))
	wait(t, ctx, `!board.driver.on && board.view.plan === null`)
}

// A session that is there after driving has been stopped is closed, and no team of it drives.
func TestDriveStoppedAtOnce(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	two(t, ctx)
	run(t, ctx, `window.calls = []; { const ask = window.fetch; window.fetch = (url, o) => { calls.push(url.split('/').pop()); return ask(url, o); } }
		board.driver.toggle(); board.driver.toggle()`)
	wait(t, ctx, `calls.includes('Close') && `+settled)
	if !eval[bool](t, ctx, `!board.driver.session && !board.driver.on && `+certified) {
		t.Error("a team drives that was stopped before it began")
	}
}

// A service that does not answer a team that drives is asked again now and then, not with every picture.
func TestDriveWithoutAnswers(t *testing.T) {
	ctx := page(t, serve(t), 1280, 800, false)
	two(t, ctx)
	do(t, ctx, chromedp.Click(`#drive`, chromedp.ByQuery))
	wait(t, ctx, `board.driver.updates > 0`)
	run(t, ctx, `window.asked = 0; window.frames = 0; window.real = window.fetch; window.fetch = () => { asked++; return Promise.reject(new TypeError('Failed to fetch')) };
		{ const count = () => { if (asked) frames++; requestAnimationFrame(count) }; count() }
		board.scene.edit(v => { v.robots[0].goal = [9, 7] })`)
	wait(t, ctx, `window.frames > 40`)
	if n := eval[int](t, ctx, `asked`); n > 20 {
		t.Errorf("%d requests while 40 pictures were drawn", n)
	}
	run(t, ctx, `window.fetch = window.real`)
	wait(t, ctx, `board.driver.session.plan.robots[0].y.at(-1) > 6.9`) // the change that nobody has heard of
}
