"use strict";
// The player: time, controls and the words beside the maps.
const data = JSON.parse(document.getElementById("data").textContent);
const [play, scrub, clock, rate, choice, others, repeat] =
  ["play", "scrub", "clock", "rate", "take", "others", "repeat"].map((id) => document.getElementById(id));
const last = Math.max(data.frames - 1, 0);

const stages = [...document.querySelectorAll(".stage")].map((root, i) => ({
  ...data.stages[i],
  map: root.querySelector(".map"),
  charts: [...root.querySelectorAll(".chart")],
  place: root.querySelector(".place"),
  readings: [...root.querySelectorAll("figcaption output")],
  actorReadings: [...root.querySelectorAll(".actors .reading")],
  holds: [...root.querySelectorAll(".hold")],
  held: new Set(), // robots that are held back
  progress: null, // of all robots, once one of them is not on time
  shown: [...root.querySelectorAll(".actors input")],
  swatches: [...root.querySelectorAll(".swatch")],
  facts: root.querySelector(".facts"),
  incidents: root.querySelector(".incidents"),
}));

let time = 0; // in frames
let over = 0; // frames beyond the last one, while some are late
let playing = false;
let then = null; // when the last picture was drawn

const runs = () => data.takes[+choice.value];
const seconds = (frames) => (frames * data.step).toFixed(last * data.step < 1 ? 3 : 2);

function draw() {
  scrub.value = time;
  const happening = [];
  stages.forEach((stage, i) => {
    drawMap(stage, i);
    showHolds(stage, i);
    const run = runs()[i];
    run.charts.forEach((chart, j) => drawChart(stage.charts[j], chart, j, stage, run.marks));
    run.incidents?.forEach((incident, n) => {
      const now = time >= incident.first - 0.5 && time <= incident.last + 0.5;
      stage.incidents.children[n].classList.toggle("now", now);
      if (now) happening.push(incident.text);
    });
  });
  clock.value = `${seconds(time + over)} / ${seconds(last)} s`;
  scrub.setAttribute("aria-valuetext", [`${seconds(time)} seconds`, ...happening].join(", "));
}

function seek(t) {
  time = Math.min(Math.max(t, 0), last);
  over = 0;
  stages.forEach((stage, i) => setProgress(stage, i, time));
  draw();
}

function setPlaying(on) {
  playing = on;
  if (on && time >= last && stages.every(arrived)) seek(0);
  then = null;
  play.textContent = on ? "❚❚" : "▶";
  play.setAttribute("aria-label", on ? "Pause" : "Play");
  if (on) requestAnimationFrame(tick);
}

// rest is how long the last frame stays before the motion is repeated.
const rest = 1000;
let ended = null;

function tick(now) {
  if (!playing) return;
  const frames = ((now - (then ?? now)) / 1000 / data.step) * +rate.value;
  then = now;
  stages.forEach((stage, i) => stage.progress && advance(stage, i, frames));
  time += frames;
  if (time < last) ended = null;
  else {
    const waiting = !stages.every(arrived);
    if (waiting) over += time - last;
    time = last;
    ended = waiting ? null : ended ?? now;
    if (!waiting && !repeat.checked) setPlaying(false);
    else if (!waiting && now - ended > rest) seek(0);
  }
  draw();
  if (playing) requestAnimationFrame(tick);
}

function element(tag, text, name = "") {
  const e = document.createElement(tag);
  e.textContent = text;
  e.className = name;
  return e;
}

// fillPanels writes what is to be said of the chosen take.
function fillPanels() {
  stages.forEach((stage, i) => {
    const run = runs()[i];
    stage.facts.replaceChildren(...run.facts.flatMap((f) => [
      element("dt", f.name),
      element("dd", ["", "✓ ", "✗ "][f.tone] + f.value, ["", "good", "bad"][f.tone]),
    ]));
    stage.incidents.replaceChildren(...(run.incidents ?? []).map((incident) => {
      const row = element("li", "");
      const span = [...new Set([seconds(incident.first), seconds(incident.last)])].join(" – ");
      const button = element("button", span + " s");
      button.type = "button";
      button.addEventListener("click", () => { setPlaying(false); seek(incident.first); });
      row.append(button, element("span", incident.text));
      return row;
    }));
    if (run.incidents && !run.incidents.length) stage.incidents.append(element("li", "no rule is broken at any waypoint", "good"));
  });
}

function paint() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "ink", "muted", "line", "obstacle", "overlap", "hit", "speeding"]) {
    colours[name] = style.getPropertyValue("--" + name).trim();
  }
  for (const stage of stages) stage.swatches.forEach((s, i) => { s.style.background = colourOf(stage.actors[i]); });
  draw();
}

play.addEventListener("click", () => setPlaying(!playing));
scrub.addEventListener("input", () => { setPlaying(false); seek(+scrub.value); });
choice.addEventListener("change", () => { fillPanels(); seek(time); });
others.addEventListener("change", draw);
for (const box of stages.flatMap((s) => s.shown)) box.addEventListener("change", draw);
stages.forEach((stage, i) => stage.holds.forEach((button, robot) => button.addEventListener("click", () => hold(stage, i, robot))));
dark.addEventListener("change", paint);
const resized = new ResizeObserver(draw);
for (const stage of stages) {
  resized.observe(stage.map);
  stage.map.addEventListener("pointermove", (e) => { stage.place.value = placeAt(stage, e.offsetX, e.offsetY); });
  stage.map.addEventListener("pointerleave", () => { stage.place.value = ""; });
}
for (const canvas of stages.flatMap((s) => s.charts)) {
  resized.observe(canvas);
  const follow = (e) => {
    if (!e.buttons) return;
    const { left, right } = chartEdge;
    setPlaying(false);
    seek(((e.offsetX - left) / (canvas.clientWidth - left - right)) * last);
  };
  canvas.addEventListener("pointerdown", follow);
  canvas.addEventListener("pointermove", follow);
}
addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === "SELECT") return;
  const leap = e.shiftKey ? 10 : 1;
  const pressable = e.target.tagName === "BUTTON" || e.target.type === "checkbox";
  if (e.key === " " && !pressable) setPlaying(!playing);
  else if (e.key === "ArrowLeft") setPlaying(false), seek(Math.ceil(time) - leap);
  else if (e.key === "ArrowRight") setPlaying(false), seek(Math.floor(time) + leap);
  else if (e.key === "Home") seek(0);
  else if (e.key === "End") seek(last);
  else if (/^[1-9]$/.test(e.key)) stages.forEach((stage, i) => hold(stage, i, e.key - 1));
  else return;
  e.preventDefault();
});

scrub.max = last;
fillPanels();
paint();
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) setPlaying(true);
