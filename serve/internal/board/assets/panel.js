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

  // outdated says why what was said of a plan does not hold any more.
  outdated(text) {
    $('measures').replaceChildren();
    this.problems([]);
    this.say(text);
  }

  // problems lists what is wrong, under a heading.
  problems(reasons, remedy, heading = 'There is no certified plan.') {
    const list = reasons.map(r => r.message);
    if (remedy) list.push(remedy);
    $('problems').replaceChildren(...list.map(text => { const li = document.createElement('li'); li.textContent = text; return li; }));
    this.wrong = new Set(reasons.map(r => r.key ?? ''));
    this.markFields();
    if (reasons.length) this.say(heading, 'bad');
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

  // objects lists the buttons of all objects; those of the same ones stay.
  objects() {
    const chosen = this.view.selected, all = this.scene.objects().slice(0, 200);
    const pressed = o => Boolean(chosen && chosen.kind === o.kind && chosen.index === o.index);
    const names = JSON.stringify(all.map(o => [o.kind, o.name, pressed(o)]));
    if (this.names !== names) $('objects').replaceChildren(...all.map((o, i) => {
      const li = document.createElement('li'), b = document.createElement('button');
      b.textContent = o.name;
      b.setAttribute('aria-pressed', String(pressed(o)));
      if (o.kind === 'robots') b.style.borderColor = colour(o.index);
      b.onclick = () => this.select(this.scene.objects()[i]);
      li.append(b);
      return li;
    }));
    this.names = names;
    all.forEach((o, i) => { $('objects').children[i].firstChild.title = describe(o); });
  }

  // fields shows the numbers of what is selected, or of the scene. Those of what is shown already get their new values.
  fields() {
    const o = this.view.selected, set = $('fields'), v = o ? o.item : this.scene.value, prefix = o ? `${o.kind}[${o.index}].` : '';
    if (this.shown?.v === v && this.shown.prefix === prefix) {
      set.querySelector('legend').textContent = o ? o.name : 'Scene';
      for (const [input, get] of this.shown.inputs) if (input !== document.activeElement) input.value = get() ?? '';
      return this.markFields();
    }
    const legend = document.createElement('legend'), inputs = [];
    this.shown = { v, prefix, inputs };
    legend.textContent = o ? o.name : 'Scene';
    set.replaceChildren(legend);
    const field = (key, name, get, put, text = false) => {
      const label = document.createElement('label'), input = document.createElement('input');
      label.append(name, input);
      Object.assign(input, { type: text ? 'text' : 'number', step: 'any', value: get() ?? '' });
      input.dataset.field = prefix + key;
      input.onchange = () => {
        const given = text ? input.value : input.value === '' ? undefined : Number(input.value);
        if (!text && Number.isNaN(given)) return;
        this.scene.edit(() => put(given));
        input.value = get() ?? ''; // what cannot be left out is there again
      };
      inputs.push([input, get]);
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
    (v.points ?? []).slice(0, 32).forEach((_, i) => [0, 1].forEach(k => field('points', `corner ${i + 1} ${'xy'[k]}`, () => v.points[i][k], x => { if (x !== undefined) v.points[i][k] = x; })));
    this.markFields();
  }
}
