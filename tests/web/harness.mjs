// What the tests in the browser share: Chromium, opening states of the page, and axe.
//
// They run in the folder that has playwright-core and axe-core in node_modules.

import {chromium} from "playwright-core";
import assert from "node:assert/strict";
import {mkdtempSync, readFileSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

/** Starts Chromium for the page at `url`, with WebGL in software. */
export async function launch(url) {
  const profile = mkdtempSync(join(tmpdir(), "psdvec-web-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: "/usr/bin/chromium", acceptDownloads: true,
    args: ["--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
  });
  context.setDefaultTimeout(20000);
  const page = await context.newPage();
  const outside = [], problems = [];
  page.on("request", (request) => { if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) outside.push(request.url()); });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => { if (message.type() === "error" && !/status of [45]/.test(message.text())) problems.push(message.text()); });

  async function settled() {
    await page.waitForSelector("main form, main table, main p");
    await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
  }
  return {
    page, context, outside, problems, settled,
    /** Opens a state from the beginning, and waits until all its panels are complete. */
    async open(hash) {
      await page.goto("about:blank");
      await page.goto(url + hash);
      await settled();
    },
    /** Does something that changes the address, and waits for the new view. */
    async changes(action) {
      const before = page.url();
      await action();
      await page.waitForFunction((old) => location.href !== old, before);
      // The address changes at once, but the page is told of it later.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
      await settled();
    },
    text: (selector) => page.locator(selector).first().innerText(),
    rows: (selector = "main table tbody") => page.locator(selector).first().locator("tr"),
    /** The page fits its width, and axe finds nothing. */
    async accessible(name) {
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is too wide`);
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}));
      assert.deepEqual(found.violations.map((one) => `${name}: ${one.id}: ${one.nodes[0].html}`), []);
    },
    async close() {
      await context.close();
      rmSync(profile, {recursive: true, force: true});
    },
  };
}

/** The number of coloured pixels of an element: those that differ clearly from grey. */
export async function coloured(context, element) {
  const picture = (await element.screenshot()).toString("base64"), page = await context.newPage();
  try {
    return await page.evaluate(async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
      [canvas.width, canvas.height] = [image.width, image.height];
      pen.drawImage(image, 0, 0);
      const {data: bytes} = pen.getImageData(0, 0, image.width, image.height);
      let count = 0;
      for (let k = 0; k < bytes.length; k += 4)
        if (Math.max(bytes[k], bytes[k + 1], bytes[k + 2]) - Math.min(bytes[k], bytes[k + 1], bytes[k + 2]) > 40) count++;
      return count;
    }, picture);
  } finally {
    await page.close();
  }
}
