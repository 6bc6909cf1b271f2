// The map of psdvec explore in Chromium: it is drawn, moved, clicked, searched and drawn around.
//
//   map.mjs URL [FOLDER]    URL: of a server with two models and counts;
//                           FOLDER: gets pictures at three widths, light and dark
//
// Prints TAP.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {join} from "node:path";
import {coloured, launch} from "./harness.mjs";
import {run} from "./tap.mjs";

const [url, folder] = process.argv.slice(2);
const {page, context, outside, problems, open, settled, changes, text, rows, accessible, close} = await launch(url);

/** The bytes of docs/reference/http-api.md, read independently of the page. */
async function readMap(model) {
  while ((await (await fetch(`${url}api/v1/map?model=${model}`)).json()).state !== "ready") await new Promise((resolve) => setTimeout(resolve, 200));
  const bytes = Buffer.from(await (await fetch(`${url}api/v1/map-points?model=${model}`)).arrayBuffer());
  const length = bytes.readUInt32LE(8), head = JSON.parse(bytes.toString("utf8", 12, 12 + length)), n = head.words;
  const points = 12 + length + 8 * n, words = points + 12 * n + 8 * head.labels;
  const names = bytes.toString("utf8", words, words + head.word_bytes).split("\n").slice(0, -1);
  return new Map(names.map((name, k) => [name, {x: bytes.readFloatLE(points + 8 * k), y: bytes.readFloatLE(points + 8 * k + 4)}]));
}
const map = await readMap("model");

const ready = () => page.waitForFunction(() => document.querySelector(".map-note")?.hidden);
async function openMap(hash = "", search = "?webgl") {
  await page.goto("about:blank");
  await page.goto(`${url}${search}#view=map${hash}`);
  await ready();
  await settled();
}
const at = () => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("at")?.split(",").map(Number));
const still = () => page.waitForFunction(() => !document.querySelector("[data-moving]"));
/** Waits until the map rests at a position, or at another one than before, and returns it. */
async function rest(before = null) {
  await page.waitForFunction((old) => {
    const now = new URLSearchParams(location.hash.slice(1)).get("at");
    return now && now !== old && !document.querySelector("[data-moving]");
  }, before && before.join(","));
  return at();
}
const surface = page.locator(".map-surface");
const middle = async () => { const box = await surface.boundingBox(); return [box.x + box.width / 2, box.y + box.height / 2]; };
const inside = (corners, point) => corners.reduce((odd, [ax, ay], k) => {
  const [bx, by] = corners[(k + corners.length - 1) % corners.length];
  return ay > point.y !== by > point.y && point.x < ((bx - ax) * (point.y - ay)) / (by - ay) + ax ? !odd : odd;
}, false);
const areaOf = () => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("area"));
function corners(area) {
  const numbers = area.split(",").map(Number);
  return numbers.reduce((list, value, k) => (k % 2 ? list[list.length - 1].push(value) : list.push([value]), list), []);
}

async function isDrawn(least = 200) {
  await page.evaluate(() => { document.querySelector(".map-marks").style.visibility = "hidden"; });
  const points = await coloured(context, page.locator(".map-box"));
  await page.evaluate(() => { document.querySelector(".map-marks").style.visibility = ""; document.querySelector(".map-box > canvas").style.visibility = "hidden"; });
  const labels = await coloured(context, page.locator(".map-box"));
  await page.evaluate(() => { document.querySelector(".map-box > canvas").style.visibility = ""; });
  assert.ok(points > least, `only ${points} pixels of points`);
  assert.ok(labels > least, `only ${labels} pixels of labels`);
}

const tests = {
  async "points and labels are drawn with WebGL"() {
    await openMap();
    assert.equal(await page.locator(".map-box").getAttribute("data-painter"), "webgl");
    await isDrawn();
  },
  async "and on a canvas, where WebGL is missing or slow"() {
    for (const search of ["?plain", ""]) { // this Chromium has WebGL in software
      await openMap("", search);
      assert.equal(await page.locator(".map-box").getAttribute("data-painter"), "canvas");
      await isDrawn();
    }
  },
  async "a lost graphics card is replaced by the canvas"() {
    await openMap();
    await page.evaluate(() => document.querySelector(".map-box > canvas").getContext("webgl2").getExtension("WEBGL_lose_context").loseContext());
    await page.waitForSelector(".map-box[data-painter=canvas]");
    await isDrawn();
  },
  async "dragging moves the map, and the wheel zooms at the pointer"() {
    await openMap();
    const start = await rest(), [x, y] = await middle();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 100, y + 50, {steps: 4});
    await page.mouse.up();
    const moved = await rest(start);
    assert.ok(moved[0] < start[0] && moved[1] < start[1] && moved[2] === start[2]);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -500);
    const zoomed = await rest(moved);
    assert.ok(zoomed[2] > 1.8 * moved[2]);
    assert.ok(Math.abs(zoomed[0] - moved[0]) < 0.01 * Math.abs(start[0] - moved[0]), "the point under the pointer stays");
    await page.getByRole("button", {name: "Show the whole map"}).click();
    assert.ok(Math.abs((await rest(zoomed))[2] - 1) < 0.01);
  },
  async "keys move, zoom, show all and choose a word"() {
    await openMap();
    const start = await rest();
    await surface.focus();
    await page.keyboard.press("ArrowRight");
    const right = await rest(start);
    assert.ok(right[0] > start[0] && right[1] === start[1]);
    await page.keyboard.press("+");
    const nearer = await rest(right);
    assert.ok(nearer[2] > 1.4 * right[2]);
    await page.keyboard.press("-");
    assert.ok((await rest(nearer))[2] < nearer[2]);
    await page.keyboard.press("0");
    await changes(() => page.keyboard.press("Enter"));
    assert.match(page.url(), /[#&]q=/);
    assert.equal(await page.evaluate(() => document.activeElement.className), "map-surface", "the focus stays");
  },
  async "two fingers zoom"() {
    await openMap();
    const start = await rest(), [x, y] = await middle(), session = await context.newCDPSession(page);
    const touch = (type, gap) => session.send("Input.dispatchTouchEvent", {type, touchPoints: gap === null ? [] : [{x: x - gap, y, id: 1}, {x: x + gap, y, id: 2}]});
    await session.send("Emulation.setTouchEmulationEnabled", {enabled: true, maxTouchPoints: 2});
    await touch("touchStart", 40);
    for (const gap of [60, 80, 120]) await touch("touchMove", gap);
    await touch("touchEnd", null);
    const zoomed = await rest(start);
    await session.send("Emulation.setTouchEmulationEnabled", {enabled: false});
    assert.ok(zoomed[2] > 2 && zoomed[2] < 4, `zoom ${zoomed[2]}`);
  },
  async "a click on a point shows its word, with its neighbours; pointing shows its name"() {
    const king = map.get("king");
    await openMap(`&at=${king.x},${king.y},6`);
    const [x, y] = await middle();
    await page.mouse.move(x + 1, y + 1);
    await page.waitForSelector(".map-tip:not([hidden])");
    assert.match(await text(".map-tip"), /^king\s*30$/);
    await changes(() => page.mouse.click(x, y));
    assert.match(page.url(), /q=king/);
    assert.equal(await text(".map-side h2"), "king");
    const answer = await (await fetch(`${url}api/v1/similar?positive=king&top=15`)).json();
    assert.deepEqual(await page.locator(".map-side tbody th").allInnerTexts(), answer.similar.map((one) => one.word));
    await changes(() => page.goBack());
    assert.equal(await page.inputValue("[data-first]"), "");
    await changes(() => page.goForward());
    assert.equal(await page.inputValue("[data-first]"), "king");
  },
  async "a search centres the word, and a neighbour's link goes on"() {
    await openMap();
    await page.fill("[data-first]", "music");
    await changes(() => page.keyboard.press("Enter"));
    await page.waitForFunction(({x, y}) => { const [a, b] = (new URLSearchParams(location.hash.slice(1)).get("at") ?? "").split(",").map(Number); return Math.abs(a - x) < 1e-3 && Math.abs(b - y) < 1e-3; }, map.get("music"));
    assert.ok((await at())[2] >= 3);
    await changes(() => page.locator(".map-side tbody a").first().click());
    assert.notEqual(await page.inputValue("[data-first]"), "music");
    await page.fill("[data-first]", "king - man + woman");
    await changes(() => page.keyboard.press("Enter"));
    assert.match(await text(".map-side .remark"), /among its neighbours/);
  },
  async "an unseen word is placed by its spelling"() {
    await openMap("&q=dancing");
    assert.match(await text(".map-side .remark"), /Not in the model: the vector comes from the spelling. Shown among its neighbours/);
    const answer = await (await fetch(`${url}api/v1/similar?positive=dancing&top=15`)).json();
    const weights = answer.similar.map((one) => Math.exp(20 * (one.cosine - answer.similar[0].cosine))), sum = weights.reduce((a, b) => a + b);
    const x = answer.similar.reduce((value, one, k) => value + (map.get(one.word).x * weights[k]) / sum, 0);
    await page.waitForFunction((wanted) => Math.abs(Number((new URLSearchParams(location.hash.slice(1)).get("at") ?? "").split(",")[0]) - wanted) < 1e-3, x);
  },
  async "a line around words selects them: list, neighbours of the mean, contexts, files"() {
    await openMap();
    await page.getByRole("button", {name: "Lasso"}).click();
    const box = await surface.boundingBox();
    const line = [[0.1, 0.1], [0.7, 0.05], [0.8, 0.6], [0.3, 0.9], [0.1, 0.5]].map(([a, b]) => [box.x + a * box.width, box.y + b * box.height]);
    await page.mouse.move(...line[0]);
    await page.mouse.down();
    for (const point of line.slice(1)) await page.mouse.move(...point, {steps: 8});
    await changes(() => page.mouse.up());
    const polygon = corners(await areaOf()), wanted = [...map].filter(([, point]) => inside(polygon, point)).map(([word]) => word);
    assert.ok(wanted.length > 3 && wanted.length < map.size, `${wanted.length} words`);
    assert.ok(polygon.length < 12, "points on straight lines are left out");
    assert.equal(await text(".map-side h2"), `${wanted.length} words selected`);
    assert.deepEqual(await page.locator(".map-side .card").first().locator("tbody th").allInnerTexts(), wanted);
    assert.deepEqual(await page.locator(".map-side h2").allInnerTexts(), [`${wanted.length} words selected`, "What they have in common", "Contexts that they share"]);
    assert.ok(await rows(".map-side .card:nth-child(2) tbody").count() > 3);
    assert.ok(await rows(".map-side .card:nth-child(3) tbody").count() > 0);
    for (const [name, check] of [["Save table", (lines) => { assert.equal(lines[0], "word\tx\ty\tcluster\tfrequency"); assert.deepEqual(lines.slice(1).map((row) => row.split("\t")[0]), wanted); }],
      ["Save list", (lines) => assert.deepEqual(lines, wanted)]]) {
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", {name}).click()]);
      check(readFileSync(await download.path(), "utf8").trimEnd().split("\n"));
    }
    const link = page.url();
    await changes(() => page.getByRole("button", {name: "Clear"}).click());
    assert.equal(await areaOf(), null);
    await page.goto("about:blank");
    await page.goto(link);
    await ready();
    await settled();
    assert.equal(await text(".map-side h2"), `${wanted.length} words selected`);
  },
  async "s selects a rectangle around the chosen word, and Escape clears it"() {
    await openMap("&q=music");
    await rest();
    await surface.focus();
    await changes(() => page.keyboard.press("s"));
    const polygon = corners(await areaOf());
    assert.ok(inside(polygon, map.get("music")));
    assert.match(await text(".map-side h2"), /words? selected/);
    await changes(() => page.keyboard.press("Escape"));
    assert.equal(await areaOf(), null);
  },
  async "the words in view are a list of links"() {
    await openMap("&q=music");
    await page.locator("summary").click();
    await page.waitForSelector(".map-words a");
    const other = page.locator(".map-words a", {hasNotText: "music"}).first(), word = await other.innerText();
    await changes(() => other.click());
    assert.equal(await page.inputValue("[data-first]"), word);
  },
  async "colours by frequency, and other models"() {
    await openMap();
    const before = await coloured(context, page.locator(".map-box"));
    await changes(() => page.selectOption("#colours", "frequency"));
    assert.match(page.url(), /colour=frequency/);
    assert.ok(await page.locator(".map-key").isVisible());
    assert.notEqual(await coloured(context, page.locator(".map-box")), before);
    await changes(() => page.selectOption("#model", "other"));
    await ready();
    const answer = await (await fetch(`${url}api/v1/map?model=other`)).json();
    await page.waitForFunction((words) => document.querySelector(".map-side h2")?.innerText === `${words} words`, String(answer.words));
  },
  async "while the map is made, the page says how far it is; and why there is none"() {
    let left = 2;
    await page.route("**/api/v1/map?*", (route) => (left-- > 0 ? route.fulfill({json: {state: "making", stage: "placing words", done: 30, total: 120}}) : route.continue()));
    await page.goto("about:blank");
    await page.goto(`${url}#view=map`);
    await page.waitForSelector(".map-note progress");
    assert.match(await text(".map-note"), /Placing words: 25 %[^]*being made/);
    await ready();
    await page.unroute("**/api/v1/map?*");
    await page.route("**/api/v1/map?*", (route) => route.fulfill({json: {state: "failed", message: "a map of 9 words needs more memory"}}));
    await page.goto("about:blank");
    await page.goto(`${url}#view=map`);
    await page.waitForSelector(".map-note .failure");
    assert.match(await text(".map-note"), /needs more memory/);
    await page.unroute("**/api/v1/map?*");
  },
  async "a word's page leads to the map"() {
    await open("#view=words&q=king");
    await changes(() => page.getByRole("link", {name: "Show on the map"}).click());
    await ready();
    assert.match(page.url(), /view=map&q=king/);
  },
  async "the map passes axe and fits at 1400, 800 and 390 px, light and dark"() {
    const king = map.get("king");
    for (const [name, hash] of Object.entries({map: "", word: "&q=king", area: `&area=${king.x - 3},${king.y - 3},${king.x + 3},${king.y - 3},${king.x + 3},${king.y + 3}`})) {
      await openMap(hash);
      await rest();
      await accessible(name, {look: async (width, scheme) => {
        await still();
        if (folder) await page.screenshot({path: join(folder, `map-${name}-${width}-${scheme}.png`), fullPage: true});
        await isDrawn(hash ? 40 : 200);
      }});
    }
  },
  async "no request leaves the machine, and nothing is reported on the console"() {
    assert.deepEqual(outside, []);
    assert.deepEqual(problems, []);
  },
};

const failed = await run(tests);
await close();
process.exit(failed ? 1 : 0);
