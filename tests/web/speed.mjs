// How long the map of psdvec explore occupies the main thread of the browser; run by hand.
//
//   speed.mjs URL [webgl|plain]    URL: of a server with a map
//
// Prints processor time of the main thread (Chromium's Performance.getMetrics in thread time) until the
// first picture, and per frame while the map is moved. Runs in the folder that has playwright-core.

import {launch} from "./harness.mjs";

const [url, kind = "webgl"] = process.argv.slice(2), {page, context, close} = await launch(url);
await page.setViewportSize({width: 1400, height: 900});
const session = await context.newCDPSession(page);
await session.send("Performance.enable", {timeDomain: "threadTicks"});
const spent = async () => {
  const {metrics} = await session.send("Performance.getMetrics");
  return Object.fromEntries(metrics.map((one) => [one.name, 1000 * one.value]));
};
const frame = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));

for (let round = 0; round < 3; round++) {
  await page.goto("about:blank");
  await page.goto(`${url}?${kind}#view=map`);
  const wall = await (await page.waitForFunction(() => document.querySelector(".map-note")?.hidden && performance.now())).jsonValue();
  await frame();
  await frame();
  const {TaskDuration: all, ScriptDuration: script} = await spent();
  console.log(`first picture: ${all.toFixed(0)} ms of processor time since the page began, ${script.toFixed(0)} ms of them script; ${wall.toFixed(0)} ms elapsed`);
}
await page.waitForFunction(() => !document.querySelector("[data-moving]"));
const box = await page.locator(".map-surface").boundingBox(), frames = 60, before = await spent();
const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
await page.mouse.move(x, y);
await page.mouse.down();
for (let k = 0; k < frames; k++) {
  await page.mouse.move(x + 2 * k, y + k);
  await frame();
}
await page.mouse.up();
const after = await spent();
console.log(`a frame: ${((after.TaskDuration - before.TaskDuration) / frames).toFixed(1)} ms, ${((after.ScriptDuration - before.ScriptDuration) / frames).toFixed(1)} ms of them script`);
await close();
