"use strict";
// Drawing of maps with what moves on them. Lengths on canvases are in CSS pixels;
// k is pixels per unit of the data.
const OVERLAP = 0, HIT = 1, SPEEDING = 2;
const colours = {}; // of the scheme in use
const dark = matchMedia("(prefers-color-scheme: dark)");
const colourOf = (actor) => actor.colour[dark.matches ? 1 : 0];
const lerp = (a, b, f) => a + f * (b - a);

// surface clears a canvas and returns its context in CSS pixels.
function surface(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  c.lineJoin = c.lineCap = "round";
  return { c, width, height };
}

// stroke strokes the current path.
function stroke(c, colour, width, alpha = 1, dash = []) {
  Object.assign(c, { strokeStyle: colour, lineWidth: width, globalAlpha: alpha });
  c.setLineDash(dash);
  c.stroke();
  c.setLineDash([]);
  c.globalAlpha = 1;
}

function fill(c, colour, alpha = 1) {
  Object.assign(c, { fillStyle: colour, globalAlpha: alpha });
  c.fill();
  c.globalAlpha = 1;
}

// visible reports whether the viewer wants to see an actor.
const visible = (stage, i) => i < 0 || stage.shown[i].checked;

const stride = (actor) => (actor.parts ? 3 : 2);

// poseAt returns x, y and angle of an actor; it rests after its last frame.
function poseAt(actor, poses, t) {
  const n = stride(actor), end = poses.length / n - 1;
  const h = Math.min(Math.floor(t), end), next = Math.min(h + 1, end);
  const at = (k) => lerp(poses[h * n + k], poses[next * n + k], t - Math.floor(t));
  return [at(0), at(1), n === 3 ? at(2) : 0];
}

// trail traces the way of an actor between two times.
function trail(c, k, actor, poses, from, to) {
  c.beginPath();
  const point = (t) => {
    const [x, y] = poseAt(actor, poses, t);
    c.lineTo(x * k, y * k);
  };
  point(from);
  for (let h = Math.floor(from) + 1; h < to; h++) point(h);
  point(to);
}

// shape traces the outline of an actor.
function shape(c, k, actor, [x, y, angle]) {
  c.beginPath();
  if (!actor.parts) return c.arc(x * k, y * k, actor.radius * k, 0, 2 * Math.PI);
  const cos = Math.cos(angle / 1000), sin = Math.sin(angle / 1000);
  for (const p of actor.parts) {
    for (let i = 0; i < p.length; i += 2) {
      const px = (x + cos * p[i] - sin * p[i + 1]) * k, py = (y + sin * p[i] + cos * p[i + 1]) * k;
      i ? c.lineTo(px, py) : c.moveTo(px, py);
    }
    c.closePath();
  }
}

// sign draws the mark of a broken rule.
function sign(c, kind, x, y, size, alpha = 1) {
  c.beginPath();
  if (kind === SPEEDING) {
    for (let i = 0; i < 10; i++) {
      const r = size * (i % 2 ? 0.6 : 1.35), a = (i * Math.PI) / 5;
      c.lineTo(x + r * Math.sin(a), y - r * Math.cos(a));
    }
    c.closePath();
    fill(c, colours.speeding, alpha);
    return stroke(c, dark.matches ? colours.paper : colours.ink, 0.8, alpha);
  }
  c.moveTo(x - size, y - size), c.lineTo(x + size, y + size);
  c.moveTo(x - size, y + size), c.lineTo(x + size, y - size);
  stroke(c, colours.paper, size * 0.9, alpha);
  stroke(c, kind === OVERLAP ? colours.overlap : colours.hit, size * 0.5, alpha);
}

// nameTag writes the label of an actor inside it, or beside it.
function nameTag(c, k, actor, [x, y], width) {
  const r = (actor.radius ?? 0) * k, text = actor.label;
  c.font = "600 12px system-ui, sans-serif";
  Object.assign(c, { textBaseline: "middle", textAlign: "center", fillStyle: colours.paper });
  if (!actor.parts && r > 7 && c.measureText(text).width < 1.6 * r) return c.fillText(text, x * k, y * k + 0.5);
  const shown = text.length > 18 ? text.slice(0, 17) + "…" : text;
  const left = x * k + r + 4 + c.measureText(shown).width > width;
  c.textAlign = left ? "right" : "left";
  const at = [shown, x * k + (left ? -1 : 1) * (r + 4), y * k];
  Object.assign(c, { strokeStyle: colours.paper, lineWidth: 3, fillStyle: colours.ink });
  c.strokeText(...at);
  c.fillText(...at);
}

function drawGround(c, k, stage) {
  for (const p of stage.obstacles ?? []) {
    c.beginPath();
    for (let i = 0; i < p.length; i += 2) c.lineTo(p[i] * k, p[i + 1] * k);
    fill(c, colours.obstacle);
  }
  c.beginPath();
  c.rect(...stage.bounds.map((v) => v * k));
  stroke(c, colours.muted, 1);
}

function drawEnds(c, k, actor) {
  if (actor.start) {
    shape(c, k, actor, actor.start);
    stroke(c, colourOf(actor), 1.5);
  }
  if (!actor.goal) return;
  if (actor.parts) {
    shape(c, k, actor, actor.goal);
    return fill(c, colourOf(actor), 0.3);
  }
  for (const r of [actor.radius, 0.2 * actor.radius]) {
    c.beginPath();
    c.rect((actor.goal[0] - r) * k, (actor.goal[1] - r) * k, 2 * r * k, 2 * r * k);
    stroke(c, colourOf(actor), 2);
  }
}

// body draws an actor where it is. Its rim comes first, so that none runs between parts.
function body(c, k, actor, pose) {
  shape(c, k, actor, pose);
  if (actor.parts) stroke(c, colours.paper, 2), fill(c, colourOf(actor));
  else fill(c, colourOf(actor), 0.88), stroke(c, colours.paper, 1);
}

// goalTag writes the label of an actor at the upper corner of its goal.
function goalTag(c, k, actor, width) {
  const [x, y] = actor.goal, r = actor.radius * k;
  const text = actor.label.length > 18 ? actor.label.slice(0, 17) + "…" : actor.label;
  c.font = "600 11px system-ui, sans-serif";
  const left = x * k + r + 3 + c.measureText(text).width > width;
  Object.assign(c, { textBaseline: "bottom", textAlign: left ? "right" : "left", strokeStyle: colours.paper, lineWidth: 3, fillStyle: colourOf(actor) });
  const at = [text, x * k + (left ? -1 : 1) * (r + 2), y * k - r + 6];
  c.strokeText(...at);
  c.fillText(...at);
}

function drawMap(stage, index) {
  const { c, width } = surface(stage.map), k = width / stage.size[0];
  const { poses, marks } = runs()[index];
  drawGround(c, k, stage);
  if (others.checked) {
    for (const take of data.takes) {
      stage.actors.forEach((a, i) => {
        if (!visible(stage, i)) return;
        trail(c, k, a, take[index].poses[i], 0, last);
        stroke(c, colourOf(a), 0.7, 0.25);
      });
    }
  }
  stage.actors.forEach((a, i) => {
    if (!visible(stage, i)) return;
    trail(c, k, a, poses[i], whenOf(stage, i), last);
    stroke(c, colourOf(a), 1.2, 0.45, a.dash);
    trail(c, k, a, poses[i], 0, whenOf(stage, i));
    stroke(c, colourOf(a), 3, 1, a.dash);
  });
  stage.actors.forEach((a, i) => visible(stage, i) && drawEnds(c, k, a));
  const seen = marks.filter((m) => m.slice(4).every((i) => visible(stage, i)));
  drawMarks(c, k, stage, seen);
  const now = stage.actors.map((a, i) => poseAt(a, poses[i], whenOf(stage, i)));
  stage.actors.forEach((a, i) => visible(stage, i) && body(c, k, a, now[i]));
  const broken = seen.filter((m) => Math.abs(m[1] - time) <= 0.5);
  ringActors(c, k, stage, broken, now);
  drawWaits(c, k, stage, index, now);
  stage.actors.forEach((a, i) => visible(stage, i) && a.goal && !a.parts && goalTag(c, k, a, width));
  stage.actors.forEach((a, i) => visible(stage, i) && nameTag(c, k, a, now[i], width));
  drawMarks(c, k, stage, broken.filter((m) => m[0] === OVERLAP));
  scaleBar(c, k, stage, width);
}

// scaleBar draws a round length of the map, a sixth of its width at most.
function scaleBar(c, k, stage, width) {
  const most = stage.size[0] * stage.perPixel / 6, power = 10 ** Math.floor(Math.log10(most));
  const length = power * [5, 2, 1].find((m) => m * power <= most);
  const long = (length / stage.perPixel) * k, right = width - 8, y = stage.size[1] * k - 6;
  const line = () => { c.beginPath(), c.moveTo(right - long, y - 4), c.lineTo(right - long, y), c.lineTo(right, y), c.lineTo(right, y - 4); };
  line(), stroke(c, colours.paper, 4);
  line(), stroke(c, colours.ink, 1.5);
  c.font = "11px system-ui, sans-serif";
  Object.assign(c, { textBaseline: "bottom", textAlign: "center", strokeStyle: colours.paper, lineWidth: 3, fillStyle: colours.ink });
  const at = [`${+length.toPrecision(2)} ${stage.unit}`.trim(), right - long / 2, y - 2];
  c.strokeText(...at);
  c.fillText(...at);
}

// placeAt returns the coordinates on the map of a point of its canvas.
function placeAt(stage, x, y) {
  const k = stage.map.clientWidth / stage.size[0], digits = Math.max(0, 2 - Math.floor(Math.log10(stage.size[0] * stage.perPixel / 10)));
  const place = [stage.origin[0] + (x / k) * stage.perPixel, stage.origin[1] + stage.up * (y / k) * stage.perPixel];
  return place.map((v) => v.toFixed(Math.min(digits, 6)).replace("-", "−")).join(", ") + " " + stage.unit;
}

// drawMarks shows marks that are still to come palely.
function drawMarks(c, k, stage, marks) {
  const size = Math.min(Math.max(0.3 * k * (stage.actors[0]?.radius ?? 0), 2.5), 4.5);
  for (const [kind, frame, x, y] of marks) {
    const at = [x, y].map((v, i) => Math.min(Math.max(v, 0), stage.size[i]) * k);
    sign(c, kind, ...at, size, frame <= time + 0.5 ? 1 : 0.3);
  }
}

// ringActors rings the actors that break a rule.
function ringActors(c, k, stage, marks, now) {
  for (const [kind, , , , ...actors] of marks) {
    for (const i of actors) {
      shape(c, k, { ...stage.actors[i], radius: stage.actors[i].radius + 4 / k }, now[i]);
      stroke(c, [colours.overlap, colours.hit, colours.speeding][kind], 3);
    }
  }
}
