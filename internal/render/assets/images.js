"use strict";
// The player of a page of images: the step that is shown, and the weights over all.
const data = JSON.parse(document.getElementById("data").textContent);
const [play, scrub, clock] = ["play", "scrub", "clock"].map((id) => document.getElementById(id));
const last = data.timesteps.length - 1;
const dark = matchMedia("(prefers-color-scheme: dark)");
const colour = (i) => data.colours[i][dark.matches ? 1 : 0];

let step = last; // that is shown
let timer = null;

// panes are the images with what is under them.
const panes = [...document.querySelectorAll(".tuple")].flatMap((root, k) =>
  [...root.querySelectorAll(".images figure")].map((figure, i) => ({
    image: figure.querySelector("img"),
    bar: figure.querySelector(".weights"),
    canvas: figure.querySelector("canvas"),
    final: data.tuples[k].images[i],
    frames: data.tuples[k].frames[i],
    weights: data.tuples[k].weights[i],
  })));

// frameAt returns the last frame that is not later than a step, the first before it.
function frameAt(pane, s) {
  if (s === last || !pane.frames.length) return pane.final;
  const i = data.frames.findLastIndex((f) => f <= s);
  return pane.frames[Math.max(i, 0)];
}

function drawBar(pane) {
  const w = pane.weights?.[step];
  pane.bar.replaceChildren(...(w ?? []).map((v, i) => {
    const piece = document.createElement("i");
    piece.style.width = 100 * v + "%";
    piece.style.background = colour(i);
    piece.title = v.toFixed(3);
    return piece;
  }));
}

// drawHistory draws the weights over the steps, a line for each exemplar.
function drawHistory({ canvas, weights }) {
  canvas.hidden = !weights;
  if (!weights) return;
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  const c = canvas.getContext("2d");
  c.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement);
  const X = (s) => 1 + (s / Math.max(last, 1)) * (width - 2), Y = (v) => 2 + (1 - v) * (height - 4);
  Object.assign(c, { lineWidth: 1, strokeStyle: style.getPropertyValue("--line") });
  c.strokeRect(X(0), Y(1), X(last) - X(0), Y(0) - Y(1));
  data.colours.forEach((_, i) => {
    Object.assign(c, { lineWidth: 1.4, strokeStyle: colour(i) });
    c.beginPath();
    let pen = false;
    weights.forEach((w, s) => {
      if (!w || w[i] === undefined) return void (pen = false);
      pen ? c.lineTo(X(s), Y(w[i])) : c.moveTo(X(s), Y(w[i]));
      pen = true;
    });
    c.stroke();
  });
  Object.assign(c, { lineWidth: 1, strokeStyle: style.getPropertyValue("--ink") });
  c.beginPath(), c.moveTo(X(step), 0), c.lineTo(X(step), height), c.stroke();
}

function draw() {
  scrub.value = step;
  clock.value = `step ${step + 1} of ${last + 1}, timestep ${data.timesteps[step]}`;
  scrub.setAttribute("aria-valuetext", clock.value);
  for (const pane of panes) {
    const source = frameAt(pane, step);
    if (pane.image.src !== source) pane.image.src = source;
    drawBar(pane);
    drawHistory(pane);
  }
}

function seek(s) {
  step = Math.min(Math.max(Math.round(s), 0), last);
  draw();
}

function setPlaying(on) {
  clearInterval(timer);
  timer = null;
  if (on && step >= last) step = 0;
  if (on) timer = setInterval(() => (step >= last ? setPlaying(false) : seek(step + 1)), 8000 / (last + 1));
  play.textContent = on ? "❚❚" : "▶";
  play.setAttribute("aria-label", on ? "Pause" : "Play");
}

play.addEventListener("click", () => setPlaying(!timer));
scrub.addEventListener("input", () => { setPlaying(false); seek(+scrub.value); });
dark.addEventListener("change", draw);
const resized = new ResizeObserver(draw);
for (const { canvas } of panes) {
  resized.observe(canvas);
  const follow = (e) => {
    if (!e.buttons) return;
    setPlaying(false);
    seek((e.offsetX / canvas.clientWidth) * last);
  };
  canvas.addEventListener("pointerdown", follow);
  canvas.addEventListener("pointermove", follow);
}
addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target === scrub) return;
  const leap = e.shiftKey ? 10 : 1;
  if (e.key === " " && e.target !== play) setPlaying(!timer);
  else if (e.key === "ArrowLeft") setPlaying(false), seek(step - leap);
  else if (e.key === "ArrowRight") setPlaying(false), seek(step + leap);
  else if (e.key === "Home") seek(0);
  else if (e.key === "End") seek(last);
  else return;
  e.preventDefault();
});

scrub.max = last;
draw();
