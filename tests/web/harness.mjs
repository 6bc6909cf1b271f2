// What the tests in the browser share: Chromium, opening states of the page, and axe.
//
// They run in the folder that has playwright-core and axe-core in node_modules.

import {chromium} from "playwright-core";
import assert from "node:assert/strict";
import {mkdtempSync, readFileSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

/**
 * The widths and colour schemes in which pages are looked at, and whether axe judges them there: with `all`, and in
 * `make check-long`, all six; otherwise each width, each scheme, and axe on the widest and the narrowest.
 */
export function screens(all = false) {
  const usual = [[1400, "light", true], [800, "dark", false], [390, "dark", true]];
  return all || process.env.PSDVEC_TEST_LONG ? [1400, 800, 390].flatMap((width) => [[width, "light", true], [width, "dark", true]]) : usual;
}

/** What axe finds on a page, by the rules of the given groups. */
export async function violations(page, groups = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]) {
  if (!await page.evaluate(() => "axe" in window)) await page.evaluate(axe);
  return page.evaluate((runOnly) => window.axe.run(document, {resultTypes: ["violations"], runOnly})
    .then((found) => found.violations.map(({id, nodes}) => `${id}: ${nodes[0].html}`)), groups);
}

/** Starts Chromium for the page at `url`, with WebGL in software; the rest of the page is drawn without it, which is faster. */
export async function launch(url) {
  const profile = mkdtempSync(join(tmpdir(), "psdvec-web-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: "/usr/bin/chromium", acceptDownloads: true,
    args: ["--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
      "--disable-gpu-compositing"],
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
    /** The page fits all screens(all), and axe finds nothing. `look(width, scheme)` looks at each of them. */
    async accessible(name, {all = false, look = async () => {}} = {}) {
      for (const [width, colorScheme, judged] of screens(all)) {
        await page.setViewportSize({width, height: 900});
        await page.emulateMedia({colorScheme});
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} ${width} is too wide`);
        await look(width, colorScheme);
        if (judged) assert.deepEqual(await violations(page), [], `${name} ${width} ${colorScheme}`);
      }
    },
    async close() {
      await context.close();
      rmSync(profile, {recursive: true, force: true});
    },
  };
}

/** The number of coloured pixels of an element: those that differ clearly from grey. */
export async function coloured(context, element) {
  const picture = (await element.screenshot()).toString("base64"), [blank] = context.pages(); // that of the launch
  return blank.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas"), pen = canvas.getContext("2d", {willReadFrequently: true});
    [canvas.width, canvas.height] = [image.width, image.height];
    pen.drawImage(image, 0, 0);
    const {data: bytes} = pen.getImageData(0, 0, image.width, image.height);
    let count = 0;
    for (let k = 0; k < bytes.length; k += 4)
      if (Math.max(bytes[k], bytes[k + 1], bytes[k + 2]) - Math.min(bytes[k], bytes[k + 1], bytes[k + 2]) > 40) count++;
    return count;
  }, picture);
}
