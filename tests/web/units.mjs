// Parts of the page of psdvec explore without a browser: the index of a map, areas, labels.
//
//   units.mjs SOURCE    SOURCE: the folder web/src
//
// Prints TAP. Runs in the folder that has esbuild in node_modules.

import assert from "node:assert/strict";
import {mkdtempSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {buildSync} from "esbuild";
import {run} from "./tap.mjs";

const [source] = process.argv.slice(2), folder = mkdtempSync(join(tmpdir(), "psdvec-units-")), bundle = join(folder, "units.mjs");
const names = {map_data: "WordMap", map_labels: "Labels", map_panel: "simplify"};
buildSync({stdin: {contents: Object.entries(names).map(([file, name]) => `export {${name}} from "./${file}";`).join("\n"), resolveDir: source, loader: "ts"},
  bundle: true, format: "esm", outfile: bundle, logLevel: "error"});
globalThis.document = {querySelector: () => null};
const {WordMap, Labels, simplify} = await import(pathToFileURL(bundle));

/** A generator of numbers from 0 to 1 with a fixed seed (mulberry32). */
let seed = 7;
function random() {
  let t = (seed += 0x6d2b79f5);
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

/** The bytes of a map of n words: two clouds and some words far outside. */
function bytesOf(n, labels = 50, far = 1) {
  const words = Buffer.from(Array.from({length: n}, (_, k) => `word${k}\n`).join("")), forms = Buffer.from("3 Word3\n");
  let head = JSON.stringify({words: n, clusters: 2, labels, levels: 6, frequencies: true, word_bytes: words.length, form_bytes: forms.length});
  while ((12 + head.length) % 8) head += " ";
  const all = Buffer.alloc(12 + head.length + 20 * n + 8 * labels);
  all.write("psdvmap1");
  all.writeUInt32LE(head.length, 8);
  all.write(head, 12);
  let at = 12 + head.length;
  for (let k = 0; k < n; k++) at = all.writeDoubleLE(1e6 / (k + 1), at);
  for (let k = 0; k < n; k++) for (const axis of [0, 1]) at = all.writeFloatLE(k >= n - far ? 1000 : (k % 2) * 10 + random() * 5 + axis, at);
  for (let k = 0; k < n; k++) at = all.writeInt32LE(k % 3 - 1, at);
  for (let k = 0; k < labels; k++) at = all.writeUInt32LE(2 * k, at);
  for (let k = 0; k < labels; k++) at = all.writeUInt32LE(Math.floor((6 * k) / labels), at);
  const bytes = Buffer.concat([all, words, forms]);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}

/** A pen that remembers what it wrote; a letter is half as wide as high. */
function pen(written) {
  return {font: "", measureText(text) { return {width: text.length * 50}; }, strokeText() {},
    fillText(text, x, y) { written.push({text, x, y, pixels: Number(/(\d+)px/.exec(this.font)[1])}); }};
}
const look = {dark: false, paper: "#fff", ink: "#000", soft: "#888", mark: "#f00", accent: "#00f"};

const tests = {
  async "a map is read, and words are found"() {
    const map = new WordMap(bytesOf(1000));
    assert.equal(map.count, 1000);
    assert.equal(map.words[999], "word999");
    assert.equal(map.form(3), "Word3");
    assert.equal(map.find("word17"), 17);
    assert.equal(map.find("WORD17"), 17);
    assert.equal(map.find("nosuch"), -1);
    assert.ok(map.core.right < 100, "a word far outside does not count");
    assert.ok(new WordMap(bytesOf(1000, 50, 30)).core.right < 25, "nor does a small group of words");
    assert.ok(new WordMap(bytesOf(1000, 50, 100)).core.right > 900, "but a large one does");
    assert.throws(() => new WordMap(new ArrayBuffer(100)), /cannot read/);
  },
  async "the nearest word and the words of an area are those of a plain search"() {
    const map = new WordMap(bytesOf(3000));
    for (let round = 0; round < 200; round++) {
      const x = random() * 18 - 1, y = random() * 18 - 1, radius = random() * 0.5;
      let best = -1, least = radius;
      for (let k = 0; k < map.count; k++) {
        const gap = Math.hypot(map.points[2 * k] - x, map.points[2 * k + 1] - y);
        if (gap < least) [best, least] = [k, gap];
      }
      assert.equal(map.nearest(x, y, radius), best);
    }
    const triangle = [[1, 1], [14, 3], [4, 12]], side = ([ax, ay], [bx, by], x, y) => (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0;
    const wanted = Array.from({length: map.count}, (_, k) => k).filter((k) => triangle.every((corner, c) => side(corner, triangle[(c + 1) % 3], map.points[2 * k], map.points[2 * k + 1])));
    assert.ok(wanted.length > 100);
    assert.deepEqual(map.inside(triangle), wanted);
  },
  async "a word without a place is put among its neighbours"() {
    const map = new WordMap(bytesOf(100));
    const {x} = map.between([{word: "word1", cosine: 0.8}, {word: "nosuch", cosine: 0.8}, {word: "word2", cosine: 0.7}]), weight = Math.exp(-2);
    assert.ok(Math.abs(x - (map.points[2] + weight * map.points[4]) / (1 + weight)) < 1e-6);
    assert.equal(map.between([{word: "nosuch", cosine: 1}]), null);
  },
  async "a line keeps its corners and loses the rest"() {
    const line = [];
    for (const [from, to] of [[[0, 0], [10, 0]], [[10, 0], [10, 10]], [[10, 10], [0, 10]]])
      for (let t = 0; t < 1; t += 0.02) line.push([from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])]);
    line.push([0, 10]);
    assert.deepEqual(simplify(line, 0.1).map(([x, y]) => [Math.round(x), Math.round(y)]), [[0, 0], [10, 0], [10, 10], [0, 10]]);
  },
  async "labels do not overlap at any zoom, and the chosen word is among them"() {
    const map = new WordMap(bytesOf(2000)), labels = new Labels();
    for (const zoom of [1, 2, 5, 20, 100]) for (const first of [[], [40, 41, 42]]) {
      const written = [], view = {x: map.points[80], y: map.points[81], scale: 40 * zoom};
      labels.draw(pen(written), map, view, 900, 600, zoom, look, {first, absent: null, dimmed: null, plain: false});
      assert.ok(written.length >= 1 && written.length <= Math.round((900 * 600) / 6500) + first.length, `${written.length} labels`);
      assert.equal(written.some((one) => one.text === "word40") || !first.length, true);
      for (const a of written) for (const b of written) if (a !== b)
        assert.ok(Math.abs(a.x - b.x) >= (a.text.length * a.pixels + b.text.length * b.pixels) / 4 || Math.abs(a.y - b.y) >= 0.7 * (a.pixels + b.pixels), `${a.text} and ${b.text} at zoom ${zoom}`);
    }
  },
};

const failed = await run(tests);
rmSync(folder, {recursive: true, force: true});
process.exit(failed ? 1 : 0);
