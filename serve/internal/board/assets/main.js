// The board: scene, view, tools and service put together.
import { Scene, empty, example, yaml } from './scene.js';
import { View } from './view.js';
import { Tools } from './tools.js';
import { Planner } from './planner.js';
import { Driver } from './driver.js';
import { Panel } from './panel.js';
import { call, base64, download } from './service.js';

const $ = id => document.getElementById(id);
const scene = new Scene(), view = new View($('scene'), scene);
const panel = new Panel(scene, view, select);
const planner = new Planner(scene, view, panel);
const driver = new Driver(scene, view, panel, planner);
const tools = new Tools(view, scene, select);
planner.dragging = () => Boolean(tools.drag?.object);

function select(o, focus = true) {
  view.selected = o;
  view.draw();
  panel.objects();
  panel.fields();
  $('remove').disabled = !o;
  if (o && focus) view.svg.querySelector(`[data-key="${o.kind}-${o.index}"]`)?.focus();
}

// replace shows another scene. A team that drives is one of the scene before.
function replace(value) {
  select(null);
  if (driver.on) driver.stop();
  scene.replace(value);
}

// keep keeps the scene for when the page is loaded again. Every tab has its own; a new one begins with the last of all.
function keep(text) {
  for (const place of [() => sessionStorage, () => localStorage]) {
    try { place().setItem('scene', text); } catch { /* private windows keep nothing, and large scenes have no room */ }
  }
}

function kept() {
  for (const place of [() => sessionStorage, () => localStorage]) {
    try { const v = JSON.parse(place().getItem('scene')); if (v?.robots) return v; } catch { /* nothing that can be read */ }
  }
  return empty();
}

const refresh = () => { view.draw(); panel.objects(); panel.fields(); };
let frame = 0;

scene.onChange(() => {
  const s = view.selected;
  view.selected = s && scene.objects().find(o => o.kind === s.kind && o.index === s.index) || null;
  planner.touch(); // first, so that it is computed while the page draws
  cancelAnimationFrame(frame);
  if (planner.dragging()) { frame = requestAnimationFrame(refresh); return; }
  $('undo').disabled = !scene.canUndo;
  $('redo').disabled = !scene.canRedo;
  refresh();
  keep(JSON.stringify(scene.value));
});

document.querySelectorAll('[data-tool]').forEach(b => b.addEventListener('click', () => { tools.use(b.dataset.tool); if (b.dataset.tool !== 'select') select(null); }));
const removeSelected = () => { const o = view.selected; if (o) { view.selected = null; scene.remove(o); select(null); $('scene').focus(); } };
$('undo').onclick = () => scene.undo();
$('redo').onclick = () => scene.redo();
$('remove').onclick = removeSelected;
$('new').onclick = () => replace(empty());
$('example').onclick = () => replace(example());
$('save').onclick = () => download('scene.yaml', yaml(scene.value), 'application/yaml');
$('load').onclick = () => $('file').click();
$('file').onchange = async e => {
  const files = await Promise.all([...e.target.files].map(async f => ({ name: f.name, content: await base64(f) })));
  files.sort((a, b) => /\.(ya?ml|map|geo?json)$/.test(b.name) - /\.(ya?ml|map|geo?json)$/.test(a.name));
  e.target.value = '';
  try {
    const read = await call('ReadScene', { files });
    replace({ robots: [], ...read.scene });
    if (read.notes?.length) panel.say(read.notes.join(' '));
  } catch (err) { planner.refused(err); }
};
document.querySelectorAll('[data-format]').forEach(b => b.addEventListener('click', () => planner.download(b.dataset.format)));
$('drive').onclick = () => driver.toggle();
$('hold').onclick = () => driver.hold();
$('certify').onclick = () => planner.certify();
$('live').onchange = $('prefer').onchange = () => planner.touch();
$('secret').onchange = e => { sessionStorage.setItem('token', e.target.value); $('token').hidden = true; planner.touch(); };

document.addEventListener('keydown', e => {
  if (e.target.closest('input, select, textarea')) return;
  const letters = { v: 'select', r: 'robot', w: 'wall', b: 'box', c: 'circle', p: 'polygon' };
  if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'z') { e.preventDefault(); e.shiftKey ? scene.redo() : scene.undo(); }
  else if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'y') { e.preventDefault(); scene.redo(); }
  else if (e.ctrlKey || e.metaKey || e.altKey) return;
  else if (e.key === 'Delete' || e.key === 'Backspace') { e.preventDefault(); removeSelected(); }
  else if (letters[e.key.toLowerCase()]) { tools.use(letters[e.key.toLowerCase()]); $('scene').focus(); }
});

scene.value = kept();
scene.changed();
window.board = { scene, view, planner, tools, driver }; // for the console
