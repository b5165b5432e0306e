// Networks in ONNX Runtime, timed on request.
//
// The arguments are the folder in which npm has installed onnxruntime-node, and the number
// of threads. The first line on standard output says which release it is. Then one JSON
// object per line on standard input, one per line on standard output:
//
//     {"path": "model.onnx", "case": "image-unet-4/32", "inputs": [{"name": "x", "type": "float32", "shape": [32, 4, 16, 16]}], "repeat": 3}
//     {"ms": 41.2, "cpu_ms": 80.1}
//
// `ms` is the fastest of the repeats, `cpu_ms` the least processor time of one, of all
// threads together. A run to begin with is not counted.
"use strict";

const [modules, threads] = process.argv.slice(1);
const find = (name) => require.resolve(name, { paths: [modules] });
const ort = require(find("onnxruntime-node"));
const options = {
  intraOpNumThreads: Number(threads),
  interOpNumThreads: 1,
  executionMode: "sequential",
  graphOptimizationLevel: "all",
  logSeverityLevel: 3,
};

// tensor has numbers that are spread over [-1, 1), and timesteps of 7.
function tensor({ type, shape }) {
  const n = shape.reduce((product, side) => product * side, 1);
  if (type === "int64") {
    return new ort.Tensor(type, new BigInt64Array(n).fill(7n), shape);
  }
  return new ort.Tensor(type, Float32Array.from({ length: n }, (_, i) => ((i * 0.6180339887) % 1) * 2 - 1), shape);
}

let known, session, feeds;

async function open(request) {
  known = undefined;
  if (session) {
    await session.release();
  }
  session = await ort.InferenceSession.create(request.path, options);
  feeds = Object.fromEntries(request.inputs.map((input) => [input.name, tensor(input)]));
  await session.run(feeds);
  known = request.case;
}

async function measure(request) {
  if (request.case !== known) {
    await open(request);
  }
  let best = Infinity;
  let least = Infinity;
  for (let i = 0; i < request.repeat; i++) {
    const start = process.hrtime.bigint();
    const spent = process.cpuUsage();
    await session.run(feeds);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e6);
    const { user, system } = process.cpuUsage(spent);
    least = Math.min(least, (user + system) / 1e3);
  }
  return { ms: best, cpu_ms: least };
}

async function serve() {
  const { version } = JSON.parse(require("fs").readFileSync(find("onnxruntime-node/package.json")));
  console.log(JSON.stringify({ version }));
  for await (const line of require("readline").createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await measure(JSON.parse(line))));
  }
}

process.on("SIGINT", () => {}); // who started us ends us
serve().catch((e) => {
  console.error(e.message.replaceAll("\n", " "));
  process.exit(1);
});
