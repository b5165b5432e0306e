// Checks files of "pcd export" by what others read them with:
//
//   cd scripts/messages && npm install
//   node check.mjs FOLDER
//
// plan.mcap is read by @mcap/core, and its messages are valid by the JSON schemas of
// @foxglove/schemas and by those in the file. Orders, zones and releases of VDA 5050 are
// checked key by key. The first thing that is wrong ends it.

import { strict as assert } from "node:assert";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { McapIndexedReader } from "@mcap/core";
import Ajv from "ajv";

const require = createRequire(import.meta.url);
const published = require("@foxglove/schemas/jsonschema");

async function recording(path) {
  const file = await open(path, "r");
  const readable = {
    size: async () => BigInt((await file.stat()).size),
    read: async (offset, length) => {
      const buffer = new Uint8Array(Number(length));
      await file.read(buffer, 0, Number(length), Number(offset));
      return buffer;
    },
  };
  const reader = await McapIndexedReader.Initialize({ readable });
  const ajv = new Ajv({ strict: false, allErrors: false, formats: { time: true, duration: true, "date-time": true } });
  const validators = new Map();
  const count = new Map();
  let last = -1n;
  for await (const message of reader.readMessages()) {
    assert(message.logTime >= last, "messages are in order of time");
    last = message.logTime;
    const channel = reader.channelsById.get(message.channelId);
    const schema = reader.schemasById.get(channel.schemaId);
    assert.equal(channel.messageEncoding, "json");
    assert.equal(schema.encoding, "jsonschema");
    const value = JSON.parse(new TextDecoder().decode(message.data));
    let all = validators.get(schema.name);
    if (!all) {
      all = [ajv.compile({ ...JSON.parse(new TextDecoder().decode(schema.data)), $schema: undefined })];
      const name = schema.name.replace("foxglove.", "");
      if (schema.name !== name) {
        assert(published[name], `${schema.name} is a schema of Foxglove`);
        all.push(ajv.compile({ ...published[name], $schema: undefined, $id: undefined }));
      }
      validators.set(schema.name, all);
    }
    for (const valid of all) {
      assert(valid(value), `${channel.topic}: ${JSON.stringify(valid.errors)}`);
    }
    const stamp = value.timestamp ?? value.transforms?.[0].timestamp;
    if (stamp) {
      assert.equal(BigInt(stamp.sec) * 1000000000n + BigInt(stamp.nsec), message.logTime, "timestamps are log times");
    }
    count.set(channel.topic, (count.get(channel.topic) ?? 0) + 1);
  }
  let plan;
  for await (const a of reader.readAttachments()) {
    if (a.name === "plan.json") plan = JSON.parse(new TextDecoder().decode(a.data));
  }
  assert(plan?.plan?.certificate?.certified, "plan.json is attached");
  for await (const m of reader.readMetadata()) {
    if (m.name === "pcd") assert.match(m.metadata.get("plan_sha256"), /^[0-9a-f]{64}$/);
  }
  for (const topic of ["/map", "/robots", "/tf"]) assert(count.get(topic) > 0, topic);
  for (const r of plan.robots) assert.equal(count.get(`/${r.name}/path`), 1);
  await file.close();
  return [...count.values()].reduce((a, b) => a + b);
}

const text = (v) => typeof v === "string" && v.length > 0;
const number = (v) => typeof v === "number" && Number.isFinite(v);

function header(m, version) {
  assert(Number.isInteger(m.headerId) && m.headerId >= 0);
  assert.match(m.timestamp, version === "3.0.0" ? /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ : /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{2}Z$/);
  assert.equal(m.version, version);
  assert(text(m.manufacturer) && /^[A-Za-z0-9_.:-]+$/.test(m.serialNumber));
}

function order(m, version) {
  header(m, version);
  assert(text(m.orderId) && m.orderUpdateId === 0);
  assert.equal(m.edges.length, m.nodes.length - 1);
  const ids = new Set();
  const released = [];
  m.nodes.forEach((n, k) => {
    assert(text(n.nodeId) && !ids.has(n.nodeId), "node ids differ");
    ids.add(n.nodeId);
    assert.equal(n.sequenceId, 2 * k);
    assert.equal(typeof n.released, "boolean");
    assert(Array.isArray(n.actions));
    const { x, y, mapId, allowedDeviationXY: d } = n.nodePosition;
    assert(number(x) && number(y) && text(mapId));
    if (d !== undefined) assert(version === "3.0.0" ? d.a >= 0 && d.b >= 0 && number(d.theta) : d >= 0);
    released.push(n.released);
  });
  m.edges.forEach((e, k) => {
    assert(text(e.edgeId) && !ids.has(e.edgeId), "edge ids differ");
    ids.add(e.edgeId);
    assert.equal(e.sequenceId, 2 * k + 1);
    assert.equal(e.released, m.nodes[k].released && m.nodes[k + 1].released, "an edge is released if both its nodes are");
    assert(Array.isArray(e.actions) && number(e.length) && e.length > 0);
    if (version === "3.0.0") {
      assert(e.maximumSpeed > 0 && ["GLOBAL", "TANGENTIAL"].includes(e.orientationType));
      assert(!("startNodeId" in e) && !("maxSpeed" in e));
    } else {
      assert(e.maxSpeed > 0 && e.startNodeId === m.nodes[k].nodeId && e.endNodeId === m.nodes[k + 1].nodeId);
      assert(!("maximumSpeed" in e) && !("orientationType" in e));
    }
    const { degree, knotVector, controlPoints } = e.trajectory;
    assert.equal(degree, 1);
    assert.equal(knotVector.length, controlPoints.length + 2);
    assert(knotVector[0] === 0 && knotVector[1] === 0 && knotVector.at(-1) === 1 && knotVector.at(-2) === 1);
    knotVector.forEach((v, j) => assert(j === 0 || v > knotVector[j - 1] || j === 1 || j === knotVector.length - 1, "inner knots increase"));
    for (const [point, node] of [[controlPoints[0], m.nodes[k]], [controlPoints.at(-1), m.nodes[k + 1]]]) {
      assert(point.x === node.nodePosition.x && point.y === node.nodePosition.y, "a trajectory joins its nodes");
    }
    const length = controlPoints.slice(1).reduce((sum, p, j) => sum + Math.hypot(p.x - controlPoints[j].x, p.y - controlPoints[j].y), 0);
    assert(Math.abs(length - e.length) <= 1e-9 * (1 + length));
  });
  assert(released[0], "the first node is released");
  assert(!released.some((r, k) => k > 0 && r && !released[k - 1]), "the base comes first");
}

function orders(folder, version) {
  const files = readdirSync(folder).filter((f) => f.startsWith("order_"));
  const nodes = new Map();
  const all = files.map((f) => JSON.parse(readFileSync(join(folder, f), "utf8")));
  for (const m of all) {
    order(m, version);
    nodes.set(m.serialNumber, m);
  }
  const releases = JSON.parse(readFileSync(join(folder, "releases.json"), "utf8"));
  const held = new Map();
  for (const h of releases.holds) {
    for (const [serial, sequence] of [[h.serialNumber, h.sequenceId], [h.after, h.reachedSequenceId]]) {
      assert(nodes.get(serial)?.nodes.some((n) => n.sequenceId === sequence), `node ${sequence} of ${serial}`);
    }
    held.set(h.serialNumber, Math.min(held.get(h.serialNumber) ?? Infinity, h.sequenceId));
  }
  for (const m of all) {
    const base = m.nodes.filter((n) => n.released).at(-1).sequenceId;
    assert.equal(base, Math.min(held.get(m.serialNumber) ?? Infinity, m.nodes.at(-1).sequenceId), `the base of ${m.serialNumber}`);
  }
  // Who releases by these rules sees everybody arrive: each robot goes as far as it may.
  const at = new Map(all.map((m) => [m.serialNumber, 0]));
  for (let moved = true; moved; ) {
    moved = false;
    for (const m of all) {
      const open = releases.holds.filter((h) => h.serialNumber === m.serialNumber && at.get(h.after) < h.reachedSequenceId);
      const limit = Math.min(m.nodes.at(-1).sequenceId, ...open.map((h) => h.sequenceId));
      if (limit > at.get(m.serialNumber)) {
        at.set(m.serialNumber, limit);
        moved = true;
      }
    }
  }
  for (const m of all) assert.equal(at.get(m.serialNumber), m.nodes.at(-1).sequenceId, `${m.serialNumber} arrives`);
  if (version === "3.0.0") {
    const z = JSON.parse(readFileSync(join(folder, "zones.json"), "utf8"));
    header(z, version);
    assert(text(z.zoneSet.mapId) && text(z.zoneSet.zoneSetId));
    for (const zone of z.zoneSet.zones) {
      assert(text(zone.zoneId) && zone.zoneType === "BLOCKED" && zone.vertices.length >= 3);
      assert(zone.vertices.every((v) => number(v.x) && number(v.y)));
    }
  }
  return all.length;
}

const folder = process.argv[2];
if (!folder) {
  console.error("usage: node check.mjs FOLDER");
  process.exit(2);
}
if (existsSync(join(folder, "plan.mcap"))) console.log(`plan.mcap: ${await recording(join(folder, "plan.mcap"))} messages`);
for (const [name, version] of [["vda5050", "3.0.0"], ["vda5050-2.1", "2.1.0"]]) {
  if (existsSync(join(folder, name))) console.log(`${name}: ${orders(join(folder, name), version)} orders`);
}
