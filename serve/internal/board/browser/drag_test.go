package browser

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// sixRobots opens a scene of six robots and takes hold of the start of the first; it returns where that is in the window.
func sixRobots(t *testing.T) (ctx context.Context, x, y float64) {
	t.Helper()
	ctx = page(t, serve(t), 1280, 800, false)
	do(t, ctx, chromedp.Evaluate(`board.scene.replace({units: 'm', duration: 14, bounds: {min: [0, 0], max: [10, 10]}, circles: [{center: [5, 5], radius: 0.8}],
		robots: [0, 1, 2, 3, 4, 5].map(i => ({name: 'robot ' + (i + 1), start: [1, 1.5 + 1.4 * i], goal: [9, 8.5 - 1.4 * i], radius: 0.3, speed: 2}))})`, nil))
	wait(t, ctx, certified)
	use(t, ctx, "select")
	x, y = on(t, ctx, 1, 1.5)
	do(t, ctx, mouse(input.MousePressed, x, y))
	return ctx, x, y
}

// followed says that the plan which is shown begins where the first robot is.
const followed = `board.view.plan?.robots[0].x[0] === board.scene.value.robots[0].start[0] && board.view.plan.robots[0].y[0] === board.scene.value.robots[0].start[1] && ` + certified

// Plans follow a robot that is dragged, one after the other. How many there are in a second
// is told, not judged. When it is let go there is the plan that everybody gets for the scene.
func TestPlansWhileDragging(t *testing.T) {
	ctx, x, y := sixRobots(t)
	before := eval[int](t, ctx, `board.planner.answered`)
	began, after := time.Now(), before
	for i := 0; time.Since(began) < 3*time.Second || after == before && time.Since(began) < patience; i++ { // longer where the machine is busy
		do(t, ctx, mouse(input.MouseMoved, x+float64(i%40), y), chromedp.Sleep(15*time.Millisecond))
		after = eval[int](t, ctx, `board.planner.answered`)
	}
	took := time.Since(began).Seconds()
	if after == before {
		t.Error("no plan while a robot was dragged")
	}
	t.Logf("%d certified plans in %.1f s, %.1f a second", after-before, took, float64(after-before)/took)
	do(t, ctx, mouse(input.MouseMoved, x+25, y+3))
	wait(t, ctx, followed)
	if !eval[bool](t, ctx, `document.activeElement.dataset.key === 'robots-0' && getComputedStyle(document.activeElement).outlineStyle === 'none'`) {
		t.Error("what is dragged has not the focus, or an outline over the drawing: lines of outlines are as wide as numbers of the scene")
	}
	do(t, ctx, mouse(input.MouseReleased, x+25, y+3))
	wait(t, ctx, `!board.planner.running && !board.planner.stale && `+followed)
	do(t, ctx, chromedp.Evaluate(`import('./service.js').then(s => s.call('Plan', { scene: board.scene.value, brief: true })).then(a => { window.usual = a.plan })`, nil))
	wait(t, ctx, `window.usual`)
	if !eval[bool](t, ctx, `JSON.stringify(usual.robots) === JSON.stringify(board.view.plan.robots)`) {
		t.Error("after a robot was dragged there is another plan than for the scene as it is")
	}
}

// Where the one sample of a plan while something is dragged has none, others are tried before that is said.
func TestOtherSamplesWhileDragging(t *testing.T) {
	ctx, x, y := sixRobots(t)
	do(t, ctx, chromedp.Evaluate(`{ const ask = window.fetch; window.refused = 0; window.fetch = (url, o) => o.body.includes('"samples":1')
		? (window.refused++, Promise.resolve(new Response('{"code":"failed_precondition","message":"none of one sample"}', { status: 400 }))) : ask(url, o); }`, nil))
	do(t, ctx, mouse(input.MouseMoved, x+25, y))
	wait(t, ctx, `window.refused > 0 && `+followed)
	do(t, ctx, mouse(input.MouseReleased, x+25, y))
	wait(t, ctx, followed)
}
