// The scene that is drawn: an object with the keys of a scene file, its history, and its text.

export const empty = () => ({ units: 'm', duration: 12, bounds: { min: [0, 0], max: [10, 10] }, robots: [] });

// example is a scene to begin with: two rooms with a door, through which all have to go.
export const example = () => ({
  name: 'two rooms', units: 'm', duration: 16, bounds: { min: [0, 0], max: [10, 10] },
  boxes: [{ center: [5, 1.8], size: [0.2, 3.2] }, { center: [5, 8.2], size: [0.2, 3.2] }],
  circles: [{ center: [2.4, 8], radius: 0.5 }, { center: [7.6, 2], radius: 0.5 }],
  robots: [[1.5, 3, 8.5, 6.5], [8.5, 3.8, 1.5, 6.4], [1.4, 5.2, 8.4, 8.4], [8.4, 5.4, 1.6, 1.4]].map(([x, y, gx, gy], i) => (
    { name: `robot ${i + 1}`, start: [x, y], goal: [gx, gy], radius: 0.35, speed: 2 })),
});

export class Scene {
  #past = []; #future = []; #undone = []; #listeners = [];
  value = empty();

  onChange(f) { this.#listeners.push(f); }
  changed() { for (const f of this.#listeners) f(); }

  // begin notes the state before a change, which undo comes back to.
  begin() { this.#past.push(JSON.stringify(this.value)); if (this.#past.length > 200) this.#past.shift(); this.#undone = this.#future; this.#future = []; }
  edit(f) { this.begin(); f(this.value); this.forget(); this.changed(); }
  forget() { // a change that was begun and did not happen: what was undone before can still be done again
    if (this.#past.at(-1) !== JSON.stringify(this.value)) return;
    this.#past.pop();
    this.#future = this.#undone;
  }
  replace(value) { this.begin(); this.value = value; this.changed(); }
  get canUndo() { return this.#past.length > 0; }
  get canRedo() { return this.#future.length > 0; }
  undo() { this.#go(this.#past, this.#future); }
  redo() { this.#go(this.#future, this.#past); }
  #go(from, to) {
    if (!from.length) return;
    to.push(JSON.stringify(this.value));
    this.value = JSON.parse(from.pop());
    this.changed();
  }

  get bounds() { return this.value.bounds ?? { min: [-1, -1], max: [1, 1] }; }
  // side is the longer side of the bounds, 1 where they have none: they may be wrong, and are drawn in all the same.
  get side() { const { min, max } = this.bounds, side = Math.max(max[0] - min[0], max[1] - min[1]); return side > 0 && side < Infinity ? side : 1; }
  // grid is the step of the arrow keys, and what points are rounded to: a round number.
  get grid() { return 10 ** Math.floor(Math.log10(this.side / 40)); }
  round(p) { const d = Math.min(Math.max(0, 1 - Math.round(Math.log10(this.grid))), 100); return p.map(v => Number(v.toFixed(d))); } // toFixed takes no more than 100
  radius(robot) { return robot.radius ?? this.side / 40; }
  robotName(i) { return this.value.robots[i]?.name || `robot ${i + 1}`; }
  freshName() { for (let n = 1; ; n++) if (!this.value.robots?.some((_, i) => this.robotName(i) === `robot ${n}`)) return `robot ${n}`; }

  // objects lists everything that can be selected.
  objects() {
    const all = [], v = this.value;
    for (const [kind, word] of [['robots', ''], ['boxes', 'box'], ['circles', 'pillar'], ['polygons', 'polygon'], ['traffic', '']]) {
      (v[kind] ?? []).forEach((item, index) => all.push({ kind, index, item, name: word ? `${word} ${index + 1}` : item.name || `${kind === 'robots' ? 'robot' : 'traffic'} ${index + 1}` }));
    }
    return all;
  }
  remove(o) { this.edit(v => { v[o.kind].splice(o.index, 1); if (!v[o.kind].length && o.kind !== 'robots') delete v[o.kind]; }); }
}

// move moves an object, or one part of it: "start", "goal" or the number of a corner.
export function move(o, part, dx, dy, round) {
  const at = p => round([p[0] + dx, p[1] + dy]);
  const item = o.item;
  if (part === 'start' || part === 'goal') item[part] = at(item[part]);
  else if (typeof part === 'number') item.points[part] = at(item.points[part]);
  else if (item.points) item.points = item.points.map(at);
  else if (item.path) item.path = item.path.map(p => [p[0], ...at(p.slice(1))]);
  else if (item.center) item.center = at(item.center);
  else for (const key of ['start', 'goal']) item[key] = at(item[key]);
}

// yaml writes a scene file. JSON is YAML; a line for every object makes it readable.
export function yaml(scene) {
  const flow = v => Array.isArray(v) ? `[${v.map(flow).join(', ')}]`
    : v && typeof v === 'object' ? `{${Object.entries(v).map(([k, x]) => `${k}: ${flow(x)}`).join(', ')}}`
    : JSON.stringify(v);
  return Object.entries(scene).filter(([, v]) => v !== undefined && v !== '').map(([key, v]) =>
    Array.isArray(v) ? (v.length ? `${key}:\n${v.map(x => `  - ${flow(x)}\n`).join('')}` : `${key}: []\n`) : `${key}: ${flow(v)}\n`).join('');
}
