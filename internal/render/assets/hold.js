"use strict";
// Robots that are held back. Motion then runs by the order of passages: a robot goes beyond a
// point of its way only when another has reached one of its own. A stage that runs so has the
// progress of its actors, in frames; what is not in the order keeps to its times.

const orderOf = (index) => runs()[index].order;
const whenOf = (stage, i) => stage.progress?.[i] ?? time;

// waitOf returns the passage that a robot has to wait at as things are, if there is one.
function waitOf(stage, index, i) {
  return orderOf(index).passages.find(([robot, at, after, reached]) => robot === i && at >= stage.progress[i] - 1e-6 && stage.progress[after] < reached - 1e-6);
}

// advance moves the robots of a stage on by some frames, in steps so small that nobody passes
// what holds it.
function advance(stage, index, frames) {
  const { robots } = orderOf(index);
  for (let left = frames; left > 0; left -= 0.25) {
    const step = Math.min(left, 0.25);
    for (let i = 0; i < robots; i++) {
      if (stage.held.has(i)) continue;
      const limit = waitOf(stage, index, i)?.[1] ?? last;
      stage.progress[i] = Math.max(stage.progress[i], Math.min(stage.progress[i] + step, limit, last));
    }
  }
}

const arrived = (stage) => !stage.progress || stage.progress.every((p) => p === undefined || p >= last - 1e-6);

// setProgress puts the robots of a stage that holds some, or is late, where they are on time.
function setProgress(stage, index, t) {
  const order = orderOf(index);
  stage.progress = order && stage.held.size ? Array.from({ length: order.robots }, () => t) : null;
}

// hold holds a robot back, or lets it go.
function hold(stage, index, i) {
  if (!orderOf(index) || i >= orderOf(index).robots) return;
  if (!stage.held.delete(i)) stage.held.add(i);
  if (!stage.progress) setProgress(stage, index, time);
  draw();
}

// stateOf says what a robot waits for, "" when it goes as it likes.
function stateOf(stage, index, i) {
  if (!stage.progress || i >= stage.progress.length) return "";
  if (stage.held.has(i)) return "held";
  const wait = waitOf(stage, index, i);
  if (wait && stage.progress[i] >= wait[1] - 1e-6) return "waits for " + stage.actors[wait[2]].label;
  const late = (time + over - stage.progress[i]) * data.step;
  return stage.progress[i] < last && late > 0.05 ? late.toFixed(1) + " s late" : "";
}

// drawWaits draws a line from every robot that waits to the one that it waits for, and rings
// those who are held.
function drawWaits(c, k, stage, index, now) {
  if (!stage.progress) return;
  for (let i = 0; i < stage.progress.length; i++) {
    if (!visible(stage, i)) continue;
    const wait = stage.held.has(i) ? null : waitOf(stage, index, i);
    if (stage.held.has(i)) {
      shape(c, k, { ...stage.actors[i], radius: stage.actors[i].radius + 4 / k }, now[i]);
      stroke(c, colours.ink, 3);
    } else if (wait && stage.progress[i] >= wait[1] - 1e-6) {
      const to = now[wait[2]];
      c.beginPath(), c.moveTo(now[i][0] * k, now[i][1] * k), c.lineTo(to[0] * k, to[1] * k);
      stroke(c, colours.ink, 1.5, 0.9, [2, 4]);
    }
  }
}

// showHolds writes the states of robots beside their names.
function showHolds(stage, index) {
  stage.holds.forEach((button, i) => {
    button.disabled = !orderOf(index);
    button.setAttribute("aria-pressed", stage.held.has(i));
    button.nextElementSibling.value = stateOf(stage, index, i);
  });
}
