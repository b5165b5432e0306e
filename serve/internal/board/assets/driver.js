// Driving: a session of the team on the board. Time passes, goals and obstacles change, robots
// are held back, and every plan takes over at a waypoint of the one before.
import { call } from './service.js';
import { place } from './view.js';

const $ = id => document.getElementById(id);
const reach = 0.35; // seconds of the clock that are left for an answer
const pause = 1; // seconds of the plan after which the next one is asked for, if nothing changes

export class Driver {
  updates = 0; // plans that took over so far
  on = false;
  constructor(scene, view, panel, planner) { Object.assign(this, { scene, view, panel, planner }); }

  toggle() { this.on ? this.stop() : this.start(); }

  async start() {
    this.planner.paused = true;
    this.show(true);
    try {
      this.take(await call('OpenSession', { request: { scene: this.scene.value, brief: true } }, 'SessionService'));
    } catch (err) { this.planner.refused(err); return this.stop(); }
    this.time = this.late = 0;
    this.held = this.pending = this.asked = null;
    this.goals = this.wanted('goals');
    this.solids = this.wanted('obstacles');
    this.last = performance.now();
    this.frame = requestAnimationFrame(now => this.tick(now));
  }

  stop() {
    cancelAnimationFrame(this.frame);
    if (this.session) call('Close', { id: this.session.id }, 'SessionService').catch(() => {});
    this.session = null;
    this.planner.paused = false;
    this.show(false);
    this.planner.touch();
  }

  show(on) {
    this.on = on;
    $('drive').textContent = on ? 'Stop driving' : 'Drive';
    $('drive').setAttribute('aria-pressed', String(on));
    $('hold').hidden = !on;
    if (on) { this.panel.stop(); $('player').hidden = true; $('measures').replaceChildren(); } // they are of the plan that was drawn
  }

  take(session) {
    this.session = session;
    this.view.plan = session.plan;
    this.view.problems = [];
    this.panel.problems([]);
    const words = { planned: 'Driving a certified plan.', continued: 'The plan before goes on, certified.', stopped: 'The robots stop, certified.', unsafe: 'Not safe: the least bad stop.' };
    const touches = (session.contacts || []).map(c => ` ${c.robot} touches ${c.other || (c.constraint === 'border' ? 'the border' : 'an obstacle')} after ${(c.seconds || 0).toFixed(1)} s.`);
    const halted = (session.halted || []).map(h => ` ${h.robot} stops: ${h.reason}.`);
    this.panel.say([words[session.kind], ...touches, ...halted, session.reason ? ` ${session.reason}` : ''].join(''),
      session.kind === 'stopped' || session.kind === 'unsafe' ? 'bad' : 'good');
  }

  // wanted returns the goals or the obstacles of the board as text, to see whether they changed.
  wanted(what) {
    const v = this.scene.value;
    return JSON.stringify(what === 'goals' ? v.robots.map((r, i) => ({ robot: r.name || `robot ${i + 1}`, x: r.goal[0], y: r.goal[1] }))
      : Object.fromEntries(['boxes', 'circles', 'polygons', 'traffic'].filter(k => v[k]).map(k => [k, v[k]])));
  }

  hold() { const o = this.view.selected; this.held = o?.kind === 'robots' ? o.name : this.session?.plan.robots[0].name; }

  tick(now) {
    const dt = Math.min((now - this.last) / 1000, 0.1), step = this.session.plan.times[1];
    this.last = now;
    const takeover = this.asked ? this.asked.steps * step : Infinity;
    this.time = Math.min(this.time + dt, takeover); // an answer is waited for: nothing uncertified is driven
    if (this.time >= takeover && this.pending) this.swap();
    if (!this.asked) this.ask(step);
    this.pose();
    if (this.on) this.frame = requestAnimationFrame(t => this.tick(t));
  }

  ask(step) {
    const goals = this.wanted('goals'), solids = this.wanted('obstacles');
    const changed = goals !== this.goals || solids !== this.solids || this.held;
    if (!changed && this.time < pause) return;
    const steps = Math.ceil((this.time + reach) / step), request = { id: this.session.id, number: this.session.number, steps };
    if (goals !== this.goals) request.goals = JSON.parse(goals);
    if (solids !== this.solids) request.obstacles = { scene: JSON.parse(solids) };
    if (this.held) request.late = [{ robot: this.held, seconds: 2 * step }];
    this.asked = { steps, from: this.time, late: this.held && { robot: this.held, seconds: 2 * step } };
    Object.assign(this, { goals, solids, held: null });
    call('Update', request, 'SessionService').then(session => { this.pending = session; }, err => this.failed(err));
  }

  // failed shows why there is no new plan; the one in force goes on, and a change that was
  // refused is not asked for again.
  failed(err) {
    this.asked = null;
    if (err.status === 404) return this.stop();
    this.view.problems = err.reasons?.length ? err.reasons : [{ message: err.message }];
    this.panel.problems(this.view.problems, err.remedy);
    this.view.draw();
  }

  swap() {
    this.time = 0;
    this.updates++;
    this.take(this.pending);
    this.pending = this.asked = null;
    this.view.draw();
  }

  // pose shows the robots; one that is held back falls behind until the next plan takes over.
  pose() {
    const late = this.asked?.late, plan = this.session.plan;
    this.view.pose(this.time);
    if (!late) return;
    const i = plan.robots.findIndex(r => r.name === late.robot), end = this.asked.steps * plan.times[1];
    const behind = late.seconds * (this.time - this.asked.from) / Math.max(end - this.asked.from, 1e-9);
    const p = place(plan, Math.max(this.time - behind, 0))[i], c = this.view.body.children[i];
    if (p && c) { c.setAttribute('cx', p.x); c.setAttribute('cy', -p.y); }
  }
}
