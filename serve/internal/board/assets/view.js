// The picture of a scene and its plan. y points up in scenes and down in SVG.

const svgns = 'http://www.w3.org/2000/svg';
export function make(name, attributes = {}, ...children) {
  const e = document.createElementNS(svgns, name);
  for (const [k, v] of Object.entries(attributes)) if (v !== undefined && v !== false) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

export const colour = i => `hsl(${(i * 137.5 + 210) % 360} 65% 48%)`;
const red = wrong => wrong ? ' wrong' : '';
// isAbout says whether the key of a problem is of an object: "circles[1].radius".
const isAbout = (problem, o) => Boolean(problem.key?.startsWith(`${o.kind}[${o.index}]`));
const anchor = v => v.start ?? v.center ?? v.path?.[0].slice(1) ?? v.points[0];
const points = list => list.map(p => `${p[0]},${-p[1]}`).join(' ');

export class View {
  constructor(svg, scene) {
    Object.assign(this, { svg, scene, plan: null, time: 0, selected: null, problems: [], draft: null, tints: [] });
    Object.assign(this, { bounds: make('g'), shapes: make('g'), over: make('g', { class: 'over', 'aria-hidden': true }), body: make('g', { class: 'over', 'aria-hidden': true }) });
    svg.replaceChildren(this.bounds, this.shapes, this.over, this.body);
  }

  // at returns the point of the scene under the pointer.
  at(event) {
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return this.scene.round([p.x, -p.y]);
  }

  // draw brings the picture up to date. What has not changed stays the element that it is: nearly all, while something is dragged.
  draw() {
    const { min, max } = this.scene.bounds, pad = this.scene.side * 0.03;
    const box = `${min[0] - pad} ${-max[1] - pad} ${max[0] - min[0] + 2 * pad} ${max[1] - min[1] + 2 * pad}`;
    if (this.svg.getAttribute('viewBox') !== box) this.svg.setAttribute('viewBox', box);
    this.bounds.replaceChildren(make('rect', { class: 'bounds' + red(this.problems.some(p => p.key?.startsWith('bounds'))), x: min[0], y: -max[1], width: max[0] - min[0], height: max[1] - min[1] }));
    const focused = document.activeElement?.dataset?.key;
    this.drawShapes(this.scene.objects().sort((a, b) => (a.kind === 'robots') - (b.kind === 'robots')));
    this.tints = this.tintsOfPlan();
    this.over.replaceChildren(...this.ways(), ...this.marks());
    this.pose(this.time);
    this.tints.forEach((tint, i) => this.body.children[i]?.setAttribute('fill', tint));
    if (focused && document.activeElement?.dataset?.key !== focused) this.svg.querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
  }

  drawShapes(objects) {
    while (this.shapes.childElementCount > objects.length) this.shapes.lastChild.remove();
    objects.forEach((o, i) => {
      const key = `${o.kind}-${o.index}`, old = this.shapes.children[i], g = old?.dataset.key === key ? old : make('g', { tabindex: 0, role: 'button', 'data-key': key, 'data-kind': o.kind, 'data-index': o.index });
      if (!old) this.shapes.append(g); else if (old !== g) old.replaceWith(g);
      const chosen = Boolean(this.selected && this.selected.kind === o.kind && this.selected.index === o.index);
      const of = JSON.stringify([o.item, o.name, chosen, this.wrongs(o), this.scene.side]);
      if (g.of === of) return;
      g.of = of;
      this.shape(g, o, chosen);
    });
  }

  // shape draws an object anew.
  shape(g, o, chosen) {
    for (const [name, value] of Object.entries({ 'aria-label': [describe(o), ...this.wrongs(o).map(p => p.message)].join('. '), 'aria-pressed': chosen, class: chosen ? 'selected' : '' })) g.setAttribute(name, value);
    g.replaceChildren();
    const v = o.item, solid = 'solid body' + red(this.wrongs(o).length);
    if (o.kind === 'robots') g.append(...this.robot(o));
    else if (o.kind === 'circles') g.append(make('circle', { class: solid, cx: v.center[0], cy: -v.center[1], r: v.radius }));
    else if (o.kind === 'boxes') g.append(make('rect', { class: solid, x: v.center[0] - v.size[0] / 2, y: -v.center[1] - v.size[1] / 2, width: v.size[0], height: v.size[1], rx: v.radius || undefined, transform: v.angle ? `rotate(${-v.angle} ${v.center[0]} ${-v.center[1]})` : undefined }));
    else if (o.kind === 'polygons') {
      g.append(make('polygon', { class: solid, points: points(v.points) }));
      if (chosen && v.points.length <= 32) g.append(...v.points.map((p, i) => make('circle', { class: 'goal body', cx: p[0], cy: -p[1], r: this.scene.side / 120, 'data-part': i, fill: 'var(--mark)' })));
    } else g.append(make('polyline', { class: 'way body', points: points(v.path.map(p => p.slice(1))), stroke: 'var(--muted)' }), make('circle', { class: solid, cx: v.path[0][1], cy: -v.path[0][2], r: v.radius }));
  }

  // wrongs returns what is wrong with an object, or with a place of a robot.
  wrongs(o, place) {
    const name = o.kind === 'robots' && this.scene.robotName(o.index);
    return this.problems.filter(p => isAbout(p, o) || name && p.robot === name && (!place || !p.place || p.place === place));
  }

  robot(o) {
    const { start, goal } = o.item, r = this.scene.radius(o.item), c = colour(o.index);
    const wrong = place => red(this.wrongs(o, place).length);
    const label = make('text', { x: start[0], y: -start[1], 'font-size': r }, String(o.index + 1));
    return [
      make('line', { class: 'link', x1: start[0], y1: -start[1], x2: goal[0], y2: -goal[1], stroke: c }),
      make('circle', { class: 'goal body' + wrong('goal'), cx: goal[0], cy: -goal[1], r, fill: c, stroke: c, 'data-part': 'goal' }),
      make('circle', { class: 'body' + wrong('start'), cx: start[0], cy: -start[1], r, fill: c, 'fill-opacity': .35, stroke: c, 'data-part': 'start' }), label];
  }

  // tintsOfPlan returns the colours of the robots of the plan: those of their names in the scene, because robots join and leave a team that drives.
  tintsOfPlan() {
    const index = new Map(this.scene.value.robots?.map((_, i) => [this.scene.robotName(i), i]));
    return (this.plan?.robots ?? []).map((r, i) => colour(index.get(r.name) ?? i));
  }

  ways() {
    return (this.plan?.robots ?? []).map((w, i) => make('path', { class: 'way', stroke: this.tints[i], d: wayOf(this.plan, w) }));
  }

  // marks show what is wrong where it is: at its point, or at the object that a key names, which may have no size.
  marks() {
    const objects = this.scene.objects(), r = this.scene.side / 50;
    const at = p => p.x !== undefined ? [p.x, p.y] : objects.filter(o => isAbout(p, o)).map(o => anchor(o.item))[0];
    return this.problems.map(at).filter(Boolean).map(([x, y]) => make('path', { class: 'at', d: `M${x - r},${-y - r}l${2 * r},${2 * r}m0,${-2 * r}l${-2 * r},${2 * r}` }));
  }

  // pose shows the robots where they are at a time.
  pose(t) {
    this.time = t;
    const at = place(this.plan, t);
    if (this.body.childElementCount !== at.length) this.body.replaceChildren(...at.map((p, i) => make('circle', { r: p.radius, fill: this.tints[i] ?? colour(i), stroke: 'var(--ink)' })));
    at.forEach((p, i) => { const c = this.body.children[i]; c.setAttribute('cx', p.x); c.setAttribute('cy', -p.y); c.setAttribute('r', p.radius); });
  }
}

// between returns where a cubic is at a part f of a span of so many seconds, from positions and
// velocities at its ends.
function between(p, q, v, w, seconds, f) {
  const d = q - p, a = v * seconds, b = w * seconds;
  return p + f * (a + f * (3 * d - 2 * a - b + f * (a + b - 2 * d)));
}

// wayOf returns the way of a robot as an SVG path.
function wayOf(plan, w) {
  const curve = plan.motion === 'curve';
  return w.x.map((x, h) => {
    const at = `${x} ${-w.y[h]}`;
    if (!h) return `M${at}`;
    if (!curve) return `L${at}`;
    const third = (plan.times[h] - plan.times[h - 1]) / 3;
    return `C${w.x[h - 1] + w.vx[h - 1] * third} ${-(w.y[h - 1] + w.vy[h - 1] * third)} ${x - w.vx[h] * third} ${-(w.y[h] - w.vy[h] * third)} ${at}`;
  }).join('');
}

// place returns where the robots of a plan are at a time: along their curves, or straight between
// waypoints.
export function place(plan, t) {
  if (!plan) return [];
  const times = plan.times;
  let h = times.findIndex(v => v > t);
  if (h < 0) h = times.length - 1;
  const before = Math.max(h - 1, 0), f = h > before ? Math.min(1, (t - times[before]) / (times[h] - times[before])) : 0;
  const seconds = times[h] - times[before];
  const at = (x, v) => plan.motion === 'curve' && seconds > 0 ? between(x[before], x[h], v[before], v[h], seconds, f) : x[before] + f * (x[h] - x[before]);
  return plan.robots.map(r => ({ radius: r.radius, x: at(r.x, r.vx), y: at(r.y, r.vy) }));
}

export function describe(o) {
  const at = p => p.map(v => Number(v.toPrecision(Math.min(Math.max(4, 3 + Math.ceil(Math.log10(Math.abs(v) + 1))), 100)))).join(', '), v = o.item;
  if (o.kind === 'robots') return `${o.name}, from ${at(v.start)} to ${at(v.goal)}`;
  if (v.center) return `${o.name} at ${at(v.center)}`;
  return o.name;
}
