// Plans while the scene changes: one request at a time, the newest scene next. The next one is on
// its way while the answer before is drawn. While something is dragged, plans are made of one joint
// sample, in a third of the time; the plan that stays is made of as many as usual.
import { call, bytes, download } from './service.js';

const $ = id => document.getElementById(id);

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

  // touch plans for the scene as it is now, or when the request before is answered.
  touch() {
    if (this.paused) return;
    if (!this.scene.value.robots?.length) {
      this.stale = this.running; // what is on its way is of robots that are gone
      this.show(null);
      this.panel.problems([]);
      this.panel.say('Draw robots: choose Robot, and drag from start to goal.');
      return;
    }
    if (!$('live').checked) return;
    if (this.running) { this.stale = true; return; }
    this.run({ brief: true });
  }

  certify() { this.running ? setTimeout(() => this.certify(), 50) : this.run({ within: Number($('within').value) || 0 }); }

  // ask asks for a plan of the scene as it is now.
  ask(extra, settings) {
    this.stale = false;
    return call('Plan', this.request(extra, settings)).catch(err => ({ err }));
  }

  async run(extra) {
    this.running = true;
    const began = performance.now(), quick = extra.brief && this.dragging();
    let answer = await this.ask(extra, quick && { samples: 1 });
    if (quick && answer.err?.code === 'failed_precondition') answer = await this.ask(extra); // another sample may do
    const took = performance.now() - began, outdated = this.stale && !this.scene.value.robots?.length;
    if (answer.err?.code === 'resource_exhausted') setTimeout(() => this.next(), 1000); else this.next();
    if (!answer.err) this.answered++;
    if (this.paused || outdated) return; // while a team drives, its plans are shown
    if (answer.err) return this.refused(answer.err);
    this.panel.problems([]);
    this.show(answer.plan, took);
  }

  next() { this.running = false; if (this.stale) this.touch(); }

  show(plan, took) {
    this.view.plan = plan;
    this.view.problems = [];
    this.view.draw();
    this.panel.plan(plan, took);
  }

  refused(err) {
    if (err.status === 401) $('token').hidden = false;
    const reasons = err.reasons?.length ? err.reasons : [{ message: err.message }];
    this.view.plan = null;
    this.view.problems = reasons;
    this.view.draw();
    this.panel.plan(null);
    this.panel.problems(reasons, err.remedy);
  }

  async download(format) {
    if (format === 'csv') {
      const plan = this.view.plan;
      if (!plan) return this.panel.say('There is no plan to write.', 'bad');
      const rows = plan.robots.flatMap(r => plan.times.map((t, h) => [JSON.stringify(r.name), t, r.x[h], r.y[h], r.vx[h], r.vy[h]].join(',')));
      return download('plan.csv', ['robot,time,x,y,vx,vy', ...rows, ''].join('\n'), 'text/csv');
    }
    try {
      const seed = this.view.plan?.seed;
      const request = this.request({});
      if (seed) request.settings.seed = seed;
      this.panel.say('Writing the file…');
      const file = await call('Export', { request, format });
      download(file.name, bytes(file.content), file.media_type);
      this.panel.say(`${file.name} is written.`);
    } catch (err) { this.refused(err); }
  }
}
