// The panel: what the plan amounts to, what is wrong, the objects and their numbers.
import { colour, describe } from './view.js';

const $ = id => document.getElementById(id);
const number = v => Number(v.toPrecision(3)).toString();
const words = { separation: 'between robots', obstacles: 'from obstacles', border: 'inside the bounds', speed: 'below the speed limit', acceleration: 'below the acceleration' };

export class Panel {
  constructor(scene, view, select) {
    Object.assign(this, { scene, view, select, playing: 0, wrong: new Set(), onTime: () => {} });
    $('play').onclick = () => this.toggle();
    $('time').oninput = e => { this.stop(); this.at(Number(e.target.value)); };
  }

  say(text, tone = '') { const s = $('status'); if (s.textContent !== text) s.textContent = text; s.className = tone; }

  plan(plan, took) {
    $('player').hidden = !plan;
    $('measures').replaceChildren();
    if (!plan) { this.stop(); return; }
    const unit = this.scene.value.units ? ` ${this.scene.value.units}` : '';
    this.end = plan.times.at(-1);
    $('time').max = this.end;
    $('time').step = this.end / 1000;
    this.at(Math.min(this.view.time, this.end));
    this.say('Certified: no contact at any instant.', 'good');
    const rows = [['length of all ways', number(plan.length) + unit], ['duration', number(this.end) + ' s']];
    for (const m of plan.certificate.margins) rows.push([words[m.constraint] ?? m.constraint, `${number(m.margin)} left (${m.robot}${m.other ? ' and ' + m.other : ''})`]);
    if (took) rows.push(['computed in', `${Math.round(1000 * plan.seconds.total)} ms, answered in ${Math.round(took)} ms`]);
    for (const [name, value] of rows) {
      const [dt, dd] = [document.createElement('dt'), document.createElement('dd')];
      dt.textContent = name;
      dd.textContent = value;
      $('measures').append(dt, dd);
    }
  }

  problems(reasons, remedy) {
    const list = reasons.map(r => r.message);
    if (remedy) list.push(remedy);
    $('problems').replaceChildren(...list.map(text => { const li = document.createElement('li'); li.textContent = text; return li; }));
    this.wrong = new Set(reasons.map(r => (r.key ?? '').replace(/^(\w+\[\d+\]) \(.*\)/, '$1'))); // "robots[0] (ada).radius"
    this.markFields();
    if (reasons.length) this.say('There is no certified plan.', 'bad');
  }

  // markFields marks the numbers that are wrong.
  markFields() { for (const input of $('fields').querySelectorAll('input')) input.setAttribute('aria-invalid', String(this.wrong.has(input.dataset.field))); }

  at(t) { $('time').value = t; $('clock').textContent = `${t.toFixed(1)} s`; this.onTime(t); }
  toggle() { this.playing ? this.stop() : this.play(); }
  stop() { cancelAnimationFrame(this.playing); this.playing = 0; $('play').textContent = '▶'; $('play').setAttribute('aria-label', 'Play'); }
  play() {
    if (this.view.time >= this.end) this.at(0);
    $('play').textContent = '❚❚';
    $('play').setAttribute('aria-label', 'Pause');
    let last = performance.now();
    const frame = now => {
      const t = this.view.time + (now - last) / 1000 * Number($('rate').value);
      last = now;
      this.at(Math.min(t, this.end));
      if (t >= this.end) this.stop(); else this.playing = requestAnimationFrame(frame);
    };
    this.playing = requestAnimationFrame(frame);
  }

  objects() {
    const chosen = this.view.selected;
    $('objects').replaceChildren(...this.scene.objects().slice(0, 200).map(o => {
      const li = document.createElement('li'), b = document.createElement('button');
      b.textContent = o.name;
      b.title = describe(o);
      b.setAttribute('aria-pressed', String(Boolean(chosen && chosen.kind === o.kind && chosen.index === o.index)));
      if (o.kind === 'robots') b.style.borderColor = colour(o.index);
      b.onclick = () => this.select(o);
      li.append(b);
      return li;
    }));
  }

  // fields shows the numbers of what is selected, or of the scene.
  fields() {
    const o = this.view.selected, set = $('fields'), legend = document.createElement('legend');
    legend.textContent = o ? o.name : 'Scene';
    set.replaceChildren(legend);
    const v = o ? o.item : this.scene.value, prefix = o ? `${o.kind}[${o.index}].` : '';
    const field = (key, name, get, put, text = false) => {
      const label = document.createElement('label'), input = document.createElement('input');
      label.append(name, input);
      Object.assign(input, { type: text ? 'text' : 'number', step: 'any', value: get() ?? '' });
      input.dataset.field = prefix + key;
      input.onchange = () => {
        const given = text ? input.value : input.value === '' ? undefined : Number(input.value);
        if (!text && Number.isNaN(given)) return;
        this.scene.edit(() => put(given));
      };
      set.append(label);
    };
    const plain = (key, name = key, text = false) => field(key, name, () => v[key], x => { if (x === undefined || x === '') delete v[key]; else v[key] = x; }, text);
    const point = (key, names) => [0, 1].forEach(i => field(key, names[i], () => v[key]?.[i], x => { if (x !== undefined) v[key][i] = x; }));
    if (!o) {
      plain('name', 'name', true);
      plain('units', 'unit of lengths', true);
      plain('duration', 'duration (s)');
      plain('margin');
      plain('acceleration');
      plain('lateness', 'lateness (s)');
      for (const [key, word] of [['min', 'least'], ['max', 'greatest']]) [0, 1].forEach(i =>
        field(`bounds.${key}`, `${word} ${'xy'[i]}`, () => this.scene.bounds[key][i], x => { v.bounds ??= { min: [-1, -1], max: [1, 1] }; if (x !== undefined) v.bounds[key][i] = x; }));
      return this.markFields();
    }
    if (o.kind === 'robots') { plain('name', 'name', true); point('start', ['start x', 'start y']); point('goal', ['goal x', 'goal y']); plain('radius'); plain('speed', 'highest speed'); plain('acceleration'); }
    if (v.center) point('center', ['centre x', 'centre y']);
    if (v.size) point('size', ['width', 'height']);
    if (o.kind === 'boxes') { plain('angle', 'angle (°)'); plain('radius', 'rounding'); }
    if (o.kind === 'circles') plain('radius');
    (v.points ?? []).slice(0, 32).forEach((p, i) => [0, 1].forEach(k => field('points', `corner ${i + 1} ${'xy'[k]}`, () => p[k], x => { if (x !== undefined) p[k] = x; })));
    this.markFields();
  }
}
