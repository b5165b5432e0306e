// Drawing: what the pointer and the keys do with the tool in force.
import { make } from './view.js';
import { move } from './scene.js';

const hints = {
  select: 'Drag an object to move it; drag a start or a goal by itself. Arrow keys move what is selected.',
  robot: 'Drag from start to goal. Enter adds one in the middle.', wall: 'Drag a wall from end to end.', box: 'Drag a box from corner to corner.',
  circle: 'Drag a pillar from its centre.', polygon: 'Click the corners of a convex polygon; Enter or a double click ends it. Enter alone adds a triangle.',
};

export class Tools {
  constructor(view, scene, select) {
    Object.assign(this, { view, scene, select, tool: 'select', drag: null, corners: [] });
    const svg = view.svg;
    svg.addEventListener('pointerdown', e => this.down(e));
    svg.addEventListener('pointermove', e => this.moveTo(e));
    svg.addEventListener('pointerup', e => this.up(e));
    svg.addEventListener('pointercancel', () => this.cancel());
    svg.addEventListener('dblclick', () => this.finishPolygon());
    svg.addEventListener('focusin', e => this.focus(e));
    svg.addEventListener('keydown', e => this.key(e));
    this.use('select');
  }

  use(tool) {
    this.cancel();
    this.tool = tool;
    document.querySelectorAll('[data-tool]').forEach(b => b.setAttribute('aria-pressed', String(b.dataset.tool === tool)));
    document.getElementById('hint').textContent = hints[tool];
    this.view.svg.setAttribute('class', tool);
  }

  cancel() {
    const drag = this.drag;
    this.drag = null;
    this.corners = [];
    this.sketch(null);
    if (drag?.object) this.scene.forget();
    if (drag?.moved) this.scene.changed();
  }

  found(target) {
    const g = target.closest?.('[data-kind]');
    return g && { object: this.scene.objects().find(o => o.kind === g.dataset.kind && o.index === Number(g.dataset.index)), part: target.dataset.part };
  }

  focus(e) { const hit = this.found(e.target); if (hit?.object && !this.drag) this.select(hit.object, false); }

  down(e) {
    if (e.button || this.drag) return; // one finger draws; a second one changes nothing
    const at = this.view.at(e), hit = this.found(e.target);
    this.view.svg.setPointerCapture(e.pointerId);
    this.pointer = e.pointerId;
    if (this.tool === 'polygon') { this.corners.push(at); this.sketch(this.shape(at)); return; }
    if (this.tool !== 'select') { this.drag = { from: at }; return; }
    this.select(hit?.object ?? null, false);
    if (!hit?.object) return;
    this.scene.begin();
    const part = hit.part === undefined || isNaN(hit.part) ? hit.part : Number(hit.part);
    this.drag = { object: hit.object, part, last: at };
  }

  moveTo(e) {
    const at = this.view.at(e);
    if (this.tool === 'polygon' && this.corners.length) this.sketch(this.shape(at));
    if (!this.drag || e.pointerId !== this.pointer) return;
    if (!this.drag.object) { this.sketch(this.shape(at)); return; }
    const d = this.drag;
    move(d.object, d.part, at[0] - d.last[0], at[1] - d.last[1], p => this.scene.round(p));
    d.last = at;
    d.moved = true;
    this.scene.changed();
  }

  up(e) {
    if (e.pointerId !== this.pointer) return;
    const d = this.drag;
    this.drag = null;
    if (!d) return;
    if (d.object) { this.scene.forget(); if (d.moved) this.scene.changed(); return; }
    this.add(d.from, this.view.at(e));
    this.sketch(null);
  }

  sketch(shape) { this.view.draft?.remove(); this.view.draft = shape; if (shape) this.view.svg.append(shape); }

  shape(to) {
    const from = this.drag?.from, line = list => list.map(p => `${p[0]},${-p[1]}`).join(' ');
    switch (this.tool) {
      case 'polygon': return make('polygon', { class: 'draft', points: line([...this.corners, to]) });
      case 'box': return make('polygon', { class: 'draft', points: line([from, [to[0], from[1]], to, [from[0], to[1]]]) });
      case 'circle': return make('circle', { class: 'draft', cx: from[0], cy: -from[1], r: Math.hypot(to[0] - from[0], to[1] - from[1]) });
      default: return make('polyline', { class: 'draft', points: line([from, to]) });
    }
  }

  // add puts an object of the tool in force between two points.
  add(a, b) {
    const far = Math.hypot(b[0] - a[0], b[1] - a[1]), tiny = this.scene.grid;
    if (far < tiny) b = this.scene.round([a[0] + this.scene.side / 5, a[1]]);
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(dx, dy);
    const middle = this.scene.round([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]);
    const put = (kind, item) => {
      this.scene.edit(v => (v[kind] ??= []).push(item));
      this.select(this.scene.objects().find(o => o.kind === kind && o.index === this.scene.value[kind].length - 1), false);
    };
    switch (this.tool) {
      case 'robot': return put('robots', { name: this.scene.freshName(), start: a, goal: b, radius: Number((this.scene.side / 25).toPrecision(2)), speed: Number((this.scene.side / 5).toPrecision(2)) });
      case 'wall': return put('boxes', { center: middle, size: [Number(length.toPrecision(6)), Number((this.scene.side / 50).toPrecision(2))], angle: Number((Math.atan2(dy, dx) * 180 / Math.PI).toFixed(3)) });
      case 'box': return put('boxes', { center: middle, size: [Math.max(Math.abs(dx), tiny), Math.max(Math.abs(dy), tiny)].map(v => Number(v.toPrecision(6))) });
      case 'polygon': return put('polygons', { points: [a, b, this.scene.round([(a[0] + b[0]) / 2, a[1] + this.scene.side / 10])] });
      case 'circle': return put('circles', { center: a, radius: Number(Math.min(length, this.scene.side / 3).toPrecision(4)) });
    }
  }

  finishPolygon() {
    const corners = this.corners.filter((p, i, all) => !i || p[0] !== all[i - 1][0] || p[1] !== all[i - 1][1]);
    this.corners = [];
    this.sketch(null);
    if (this.tool !== 'polygon' || corners.length < 3) return;
    this.scene.edit(v => (v.polygons ??= []).push({ points: corners }));
  }

  key(e) {
    const step = this.scene.grid * (e.shiftKey ? 10 : 1);
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[e.key];
    const o = this.view.selected;
    if (by && o) {
      e.preventDefault();
      const part = e.altKey ? 'goal' : e.ctrlKey ? 'start' : undefined;
      this.scene.edit(() => move(o, o.kind === 'robots' ? part : undefined, ...by, p => this.scene.round(p)));
    } else if (e.key === 'Enter' && this.corners.length) this.finishPolygon();
    else if (e.key === 'Enter' && this.tool !== 'select') {
      e.preventDefault();
      const { min, max } = this.scene.bounds, n = this.scene.objects().length;
      const a = this.scene.round([min[0] + (max[0] - min[0]) * 0.2, min[1] + (max[1] - min[1]) * (0.15 + 0.14 * (n % 6))]);
      this.add(a, this.scene.round([max[0] - (max[0] - min[0]) * 0.2, a[1]]));
    } else if (e.key === 'Escape') this.use('select');
  }
}
