// Driving: a session of the team on the board. Time passes, goals and obstacles change, robots
// come, go and are held back, and every plan takes over at a waypoint of the one before.
import { call } from './service.js';
import { place } from './view.js';

const $ = id => document.getElementById(id);
const reach = 0.35; // seconds of the clock that are left for an answer
const pause = 1; // seconds of the plan after which the next one is asked for, if nothing changes
const rest = 1000; // milliseconds until a service that does not answer is asked again
const solids = ['boxes', 'circles', 'polygons', 'traffic'];

export class Driver {
  updates = 0; // plans that took over so far
  on = false;
  constructor(scene, view, panel, planner) { Object.assign(this, { scene, view, panel, planner }); }

  toggle() { this.on ? this.stop() : this.start(); }

  async start() {
    const drive = this.drive = {}; // it may be ended, and another one begun, before the session is there
    this.planner.paused = true;
    this.show(true);
    this.sent = this.wanted();
    this.fixed = this.limits();
    let session;
    try {
      session = await call('OpenSession', { request: { scene: this.scene.value, brief: true } }, 'SessionService');
    } catch (err) {
      if (this.drive !== drive) return;
      this.stop(false);
      return this.planner.refused(err);
    }
    if (this.drive !== drive) return this.close(session);
    this.time = this.again = 0;
    this.held = this.pending = this.asked = this.wrong = null;
    this.declined = new Map(); // robots that could not join, by name, as they were
    this.take(session);
    this.last = performance.now();
    this.frame = requestAnimationFrame(now => this.tick(now));
  }

  // stop ends driving, and shows what there is to say of the scene, if nothing else is shown.
  stop(plan = true) {
    cancelAnimationFrame(this.frame);
    this.close(this.session);
    this.session = this.drive = null;
    this.planner.paused = false;
    this.show(false);
    this.planner.show(null); // the plan that was driven is not one of the scene
    if (plan) this.planner.touch();
  }

  close(session) { if (session) call('Close', { id: session.id }, 'SessionService').catch(() => {}); }

  show(on) {
    this.on = on;
    $('drive').textContent = on ? 'Stop driving' : 'Drive';
    $('drive').setAttribute('aria-pressed', String(on));
    $('hold').hidden = !on;
    if (!on) return;
    this.panel.stop(); // what is shown is of the plan that was drawn
    $('player').hidden = true;
    $('measures').replaceChildren();
    this.view.over.classList.remove('outdated');
  }

  take(session) {
    this.session = session;
    this.view.plan = session.plan;
    this.view.problems = this.wrong?.reasons ?? [];
    const words = { planned: 'Driving a certified plan.', continued: 'The plan before goes on, certified.', stopped: 'The robots stop, certified.', unsafe: 'Not safe: the least bad stop.' };
    const touches = (session.contacts || []).map(c => ` ${c.robot} touches ${c.other || (c.constraint === 'border' ? 'the border' : 'an obstacle')} after ${(c.seconds || 0).toFixed(1)} s.`);
    const halted = (session.halted || []).map(h => ` ${h.robot} stops: ${h.reason}.`);
    const later = this.unheard() ? ' What changed of bounds, limits and sizes counts when driving begins anew.' : '';
    const text = [words[session.kind], ...touches, ...halted, session.reason ? ` ${session.reason}` : '', later].join('');
    this.panel.problems(this.view.problems, this.wrong?.remedy, text);
    this.panel.say(text, session.kind === 'stopped' || session.kind === 'unsafe' ? 'bad' : 'good');
  }

  // robots returns those of the board by name.
  robots() { return new Map(this.scene.value.robots.map((r, i) => [this.scene.robotName(i), r])); }

  // wanted returns what an update can change, as text, to see what changed: the goals by robot, and the obstacles.
  wanted() {
    const v = this.scene.value;
    return { goals: new Map([...this.robots()].map(([name, r]) => [name, JSON.stringify(r.goal)])), obstacles: JSON.stringify(Object.fromEntries(solids.filter(k => v[k]).map(k => [k, v[k]]))) };
  }

  // limits returns what no update can change, as text: of the scene, and of robots by name.
  limits() {
    const scene = Object.entries(this.scene.value).filter(([key]) => !solids.includes(key) && key !== 'robots' && key !== 'name');
    return { scene: JSON.stringify(scene), robots: new Map([...this.robots()].map(([name, r]) => [name, JSON.stringify([r.radius, r.speed, r.acceleration])])) };
  }

  // unheard reports whether something has changed that no update can change.
  unheard() {
    const now = this.limits(), before = this.fixed.robots;
    return now.scene !== this.fixed.scene || [...now.robots].some(([name, limits]) => before.has(name) && before.get(name) !== limits);
  }

  hold() { const o = this.view.selected; this.held = o?.kind === 'robots' ? o.name : this.session?.plan.robots[0].name; }

  tick(now) {
    const dt = Math.min((now - this.last) / 1000, 0.1), step = this.session.plan.times[1];
    this.last = now;
    const takeover = this.asked ? this.asked.steps * step : Infinity;
    this.time = Math.min(this.time + dt, takeover); // an answer is waited for: nothing uncertified is driven
    if (this.time >= takeover && this.pending) this.swap();
    if (!this.scene.value.robots.length) return this.stop();
    if (!this.asked) this.ask(step, now);
    this.pose();
    if (this.on) this.frame = requestAnimationFrame(t => this.tick(t));
  }

  // changes returns what an update says of what has changed. Robots join one by one, so that one that cannot keeps nobody away.
  changes(wanted, step) {
    const driving = new Set(this.session.plan.robots.map(r => r.name)), robots = this.robots(), request = {};
    const leave = [...driving].filter(name => !robots.has(name));
    const goals = [...wanted.goals].filter(([name, goal]) => driving.has(name) && goal !== this.sent.goals.get(name));
    if (leave.length && leave.length < driving.size) request.leave = leave;
    if (goals.length) request.goals = goals.map(([robot, goal]) => { const [x, y] = JSON.parse(goal); return { robot, x, y }; });
    if (wanted.obstacles !== this.sent.obstacles) request.obstacles = { scene: JSON.parse(wanted.obstacles) };
    if (driving.has(this.held) && !leave.includes(this.held)) request.late = [{ robot: this.held, seconds: 2 * step }];
    if (Object.keys(request).length) return request;
    const next = [...robots].find(([name, r]) => !driving.has(name) && this.declined.get(name) !== JSON.stringify(r));
    if (next) request.join = [this.newcomer(...next)];
    return request;
  }

  newcomer(name, r) {
    return { name, x: r.start[0], y: r.start[1], goal_x: r.goal[0], goal_y: r.goal[1], radius: this.scene.radius(r), speed: r.speed, acceleration: r.acceleration ?? this.scene.value.acceleration };
  }

  ask(step, now) {
    if (now < this.again) return;
    const wanted = this.wanted(), changes = this.changes(wanted, step), changed = Object.keys(changes).length > 0;
    if (!changed && this.time < pause) return;
    const steps = Math.ceil((this.time + reach) / step), id = this.session.id, drive = this.drive;
    this.asked = { steps, from: this.time, late: changes.late?.[0], changed, join: changes.join?.[0].name, before: this.sent, held: this.held };
    Object.assign(this, { sent: wanted, held: null });
    if (changes.join) this.fixed.robots.set(changes.join[0].name, this.limits().robots.get(changes.join[0].name));
    call('Update', { id, number: this.session.number, steps, ...changes }, 'SessionService').then(
      session => { if (this.drive === drive) this.pending = session; },
      err => { if (this.drive === drive) this.failed(err); });
  }

  // failed shows why there is no new plan; the one in force goes on. A change that was refused is
  // not asked for again; one that nobody has answered is, after a while.
  failed(err) {
    const asked = this.asked;
    this.asked = null;
    if (err.status === 404) return this.stop();
    const reasons = err.reasons?.length ? err.reasons : [{ message: err.status ? err.message : `The service cannot be reached: ${err.message}.` }];
    if (err.status === 400) {
      if (asked.join) this.declined.set(asked.join, JSON.stringify(this.robots().get(asked.join)));
      this.wrong = { reasons, remedy: err.remedy };
    } else {
      Object.assign(this, { sent: asked.before, held: this.held ?? asked.held, again: performance.now() + rest });
    }
    this.view.problems = reasons;
    this.panel.problems(reasons, err.remedy, 'There is no new plan: the one in force goes on.');
    this.view.draw();
  }

  swap() {
    this.time = 0;
    this.updates++;
    if (this.asked.changed) this.wrong = null;
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
