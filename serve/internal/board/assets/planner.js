// Plans while the scene changes: one request at a time, the newest scene next. The next one is on
// its way while the answer before is drawn. While something is dragged, plans are made of one joint
// sample, in a third of the time; the plan that stays is made of as many as usual.
import { call, bytes, download } from './service.js';

const $ = id => document.getElementById(id);
const patience = 500; // milliseconds for which the plan of the scene before passes for that of the scene

export class Planner {
  answered = 0; // plans so far
  dragging = () => false;
  constructor(scene, view, panel) {
    Object.assign(this, { scene, view, panel, running: false, stale: false });
    panel.onTime = t => view.pose(t);
  }

  request(extra, settings) {
    const prefer = $('prefer').value;
    return { scene: this.scene.value, settings: { ...(prefer && { prefer }), ...settings }, ...extra };
  }

  // key tells scenes and what is wished of their plans apart: a plan holds for its own alone.
  key() { return JSON.stringify([this.scene.value, $('prefer').value]); }
  get outdated() { return this.of !== this.key(); }

  // doubt says that what is shown is not of the scene as it is now.
  doubt() {
    clearTimeout(this.waiting);
    this.waiting = 0;
    if (this.paused || !this.outdated) return;
    this.view.problems = [];
    this.view.over.classList.add('outdated');
    this.view.draw();
    this.panel.outdated($('live').checked ? 'The scene has changed: its plan is on its way.' : 'The scene has not been planned as it is now. Plan with proof plans it.');
  }

  // touch plans for the scene as it is now, or when the request before is answered.
  touch() {
    if (this.paused) return;
    if (!this.scene.value.robots?.length) {
      this.stale = this.running; // what is on its way is of robots that are gone
      this.show(null, 0, this.key());
      this.panel.problems([]);
      this.panel.say('Draw robots: choose Robot, and drag from start to goal.');
      return;
    }
    if (!$('live').checked) return this.doubt();
    this.waiting ||= setTimeout(() => this.doubt(), patience);
    if (this.running) { this.stale = true; return; }
    this.run({ brief: true });
  }

  certify() {
    if (this.running) return setTimeout(() => this.certify(), 50);
    if (!this.paused) this.panel.say('Planning with proof…');
    this.run({ within: Number($('within').value) || 0 });
  }

  // ask asks for a plan of the scene as it is now.
  ask(extra, settings) {
    this.stale = false;
    this.asking = this.key();
    return call('Plan', this.request(extra, settings)).catch(err => ({ err }));
  }

  async run(extra) {
    this.running = true;
    const began = performance.now(), quick = extra.brief && this.dragging();
    let answer = await this.ask(extra, quick && { samples: 1 });
    if (quick && answer.err?.code === 'failed_precondition') answer = await this.ask(extra); // another sample may do
    const took = performance.now() - began, of = this.asking, outdated = this.stale && !this.scene.value.robots?.length;
    if (answer.err?.status === 429) {
      this.stale ||= Boolean(extra.brief); // it is asked for again, when there is room
      setTimeout(() => this.next(), 1000);
    } else this.next();
    if (!answer.err) this.answered++;
    if (this.paused || outdated) return; // while a team drives, its plans are shown
    if (answer.err) return this.refused(answer.err, of);
    this.panel.problems([]);
    this.show(answer.plan, took, of);
  }

  next() { this.running = false; if (this.stale) this.touch(); }

  // show shows a plan of a scene, or that there is none of it.
  show(plan, took, of, reasons = []) {
    this.of = of;
    this.view.plan = plan;
    this.view.problems = reasons;
    this.view.over.classList.remove('outdated');
    this.view.draw();
    this.panel.plan(plan, took);
    clearTimeout(this.waiting);
    this.waiting = 0;
    if (!this.outdated) return;
    if ($('live').checked) this.waiting = setTimeout(() => this.doubt(), patience); else this.doubt();
  }

  refused(err, of = this.key()) {
    if (err.status === 401) $('token').hidden = false;
    const reasons = err.reasons?.length ? err.reasons : [{ message: err.status ? err.message : `The service cannot be reached: ${err.message}.` }];
    this.panel.problems(reasons, err.remedy, err.status === 400 ? undefined : 'There is no answer about a plan.');
    this.show(null, 0, of, reasons);
  }

  async download(format) {
    if (format === 'csv') {
      const plan = this.view.plan;
      if (!plan || !this.paused && this.outdated) return this.panel.say('There is no plan of the scene as it is now to write.', 'bad');
      const rows = plan.robots.flatMap(r => plan.times.map((t, h) => [`"${r.name.replaceAll('"', '""')}"`, t, r.x[h], r.y[h], r.vx[h], r.vy[h]].join(',')));
      return download('plan.csv', ['robot,time,x,y,vx,vy', ...rows, ''].join('\n'), 'text/csv');
    }
    try {
      const request = this.request({}), seed = this.view.plan?.seed;
      if (seed && !this.outdated) request.settings.seed = seed;
      this.panel.say('Writing the file…');
      const file = await call('Export', { request, format });
      download(file.name, bytes(file.content), file.media_type);
      this.panel.say(`${file.name} is written.`);
    } catch (err) {
      if (err.status === 400 || err.status === 401) return this.refused(err);
      this.panel.say(`The file is not written: ${err.message}`, 'bad'); // the plan that is shown stays what it is
    }
  }
}
