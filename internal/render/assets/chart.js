"use strict";
// Drawing of quantities over time.

// pointsOf returns a chart's line as frame, value, frame, value, …
const pointsOf = (line) => line.values ?? (line.steps ?? []).flatMap((v, h) => [h, v, h + 1, v]);

// valueAt returns the value of a line at a time, NaN if it has none.
function valueAt(p, t) {
  let i = 2;
  while (i + 2 < p.length && p[i] < t) i += 2;
  if (i >= p.length) return p.length ? p[1] : NaN;
  const f = p[i] > p[i - 2] ? (t - p[i - 2]) / (p[i] - p[i - 2]) : 1;
  return lerp(p[i - 1], p[i + 1], Math.min(Math.max(f, 0), 1));
}

// valueRange returns the values that chart number j shows, the same for all stages.
function valueRange(j) {
  let lo = 0, hi = 0;
  for (const run of runs()) {
    for (const line of run.charts[j]?.lines ?? []) {
      pointsOf(line).forEach((v, i) => { if (i % 2) [lo, hi] = [Math.min(lo, v), Math.max(hi, v)]; });
    }
    for (const level of run.charts[j]?.levels ?? []) hi = Math.max(hi, level.value);
  }
  const room = 0.12 * (hi - lo) || 1;
  return [lo < 0 ? lo - room : 0, hi + room];
}

// ticks returns about a number of round values in a range.
function ticks(lo, hi, count) {
  const raw = (hi - lo) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((m) => m * power >= raw);
  const out = [];
  for (let i = Math.ceil(lo / step); i * step <= hi; i++) out.push(+(i * step).toPrecision(6));
  return out;
}

const chartEdge = { left: 40, right: 10, top: 6, bottom: 18 };

function drawChart(canvas, chart, j, stage, marks) {
  const { c, width, height } = surface(canvas);
  const { left, right, top, bottom } = chartEdge;
  const [lo, hi] = valueRange(j);
  const X = (t) => left + (t / Math.max(last, 1)) * (width - left - right);
  const Y = (v) => height - bottom - ((v - lo) / (hi - lo)) * (height - top - bottom);
  const across = (v) => { c.beginPath(); c.moveTo(left, Y(v)); c.lineTo(width - right, Y(v)); };
  const colour = (i) => (i < 0 ? colours.ink : colourOf(stage.actors[i]));
  c.font = "11px system-ui, sans-serif";
  Object.assign(c, { fillStyle: colours.muted, textBaseline: "middle", textAlign: "right" });
  for (const v of ticks(lo, hi, 3)) {
    across(v), stroke(c, colours.line, 1, 0.7);
    c.fillText(v, left - 5, Y(v));
  }
  Object.assign(c, { textBaseline: "bottom", textAlign: "center" });
  for (const s of ticks(0, last * data.step, 5)) c.fillText(s + " s", X(s / data.step), height - 1);
  for (const level of chart.levels.filter((l) => visible(stage, l.actor))) {
    across(level.value), stroke(c, level.actor < 0 ? colours.overlap : colour(level.actor), 1.3, 1, [5, 4]);
  }
  const lines = chart.lines.filter((l) => visible(stage, l.actor)).map((line) => ({ actor: line.actor, points: pointsOf(line) }));
  for (const { actor, points } of lines) {
    c.beginPath();
    for (let i = 0; i < points.length; i += 2) c.lineTo(X(points[i]), Y(points[i + 1]));
    stroke(c, colour(actor), 1.6, 1, stage.actors[actor]?.dash);
  }
  for (const [kind, frame, , , actor] of marks.filter((m) => m.slice(4).every((i) => visible(stage, i)))) {
    const line = lines.find((l) => l.actor === actor) ?? lines[0];
    if (kind === chart.kind && line) sign(c, kind, X(frame), Y(valueAt(line.points, frame)), 3.2);
  }
  Object.assign(c, { textAlign: "left", fillStyle: colours.overlap, strokeStyle: colours.paper, lineWidth: 3 });
  for (const level of chart.levels.filter((l) => l.actor < 0)) {
    const at = [level.label + (level.value ? " " + level.value : ""), left + 4, Y(level.value) - 1];
    c.strokeText(...at), c.fillText(...at);
  }
  c.beginPath(), c.moveTo(X(time), top), c.lineTo(X(time), height - bottom);
  stroke(c, colours.muted, 1);
  for (const { actor, points } of lines) {
    const v = valueAt(points, time);
    c.beginPath(), c.arc(X(time), Y(v), 3.5, 0, 2 * Math.PI), fill(c, colour(actor));
    const reading = actor < 0 ? stage.readings[j] : j === 0 ? stage.actorReadings[actor] : null;
    const unit = chart.unit && chart.unit.length < 8 ? " " + chart.unit : "";
    if (reading) reading.value = Number.isNaN(v) ? "" : v.toFixed(3).replace("-", "−") + unit;
  }
}
