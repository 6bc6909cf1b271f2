// A page of psdvec report in Chromium: what it shows at three widths, light and dark, and on paper.
//
//   report.mjs FILE [FOLDER]    FILE: a report with a map; FOLDER: gets pictures and a PDF
//
// Prints TAP. Runs in the folder that has playwright-core and axe-core in node_modules.

import {chromium} from "playwright-core";
import assert from "node:assert/strict";
import {screens, violations} from "./harness.mjs";
import {run} from "./tap.mjs";

const [file, folder] = process.argv.slice(2);
const browser = await chromium.launch({executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"]});
const tests = {};

async function withPage(options, work) {
  const page = await browser.newPage(options), problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => { if (message.type() === "error") problems.push(message.text()); });
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => !document.querySelector("canvas") || document.querySelector("canvas").width > 300);
  await page.waitForTimeout(200);
  try {
    await work(page);
    assert.deepEqual(problems, []);
  } finally {
    await page.close();
  }
}

/** The number of colours on the canvas, and the share of its pixels that are drawn. */
const drawn = (page) => page.evaluate(() => {
  const canvas = document.querySelector("canvas"), pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = new Set();
  let filled = 0;
  for (let k = 0; k < pixels.length; k += 4) if (pixels[k + 3] > 0) {
    filled++;
    colours.add(`${pixels[k] >> 5} ${pixels[k + 1] >> 5} ${pixels[k + 2] >> 5}`);
  }
  return {colours: colours.size, filled: (4 * filled) / pixels.length};
});

tests["1400, 800 and 390 pixels, light and dark: all is drawn, nothing is wider than the screen, axe finds nothing"] = () =>
  withPage({}, async (page) => {
    for (const [width, colorScheme, judged] of screens()) {
      await page.setViewportSize({width, height: 900});
      await page.emulateMedia({colorScheme});
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
      const lengths = await page.locator(".plot path").evaluateAll((paths) => paths.map((path) => path.getAttribute("d").length));
      assert.ok(lengths.length >= 10 && lengths.filter((length) => length > 4).length >= 10, `${lengths}`);
      const map = await drawn(page);
      assert.ok(map.colours > 3 && map.filled > 0.0005, JSON.stringify(map));
      if (folder) await page.screenshot({path: `${folder}/report-${width}-${colorScheme}.png`, fullPage: true});
      if (judged) assert.deepEqual(await violations(page, ["wcag2a", "wcag2aa", "best-practice"]), [], `${width} ${colorScheme}`);
    }
  });

tests["the map is zoomed by the buttons and the keyboard, and by the wheel only if it has the focus"] = () =>
  withPage({viewport: {width: 1000, height: 800}}, async (page) => {
    const picture = () => page.evaluate(() => document.querySelector("canvas").toDataURL());
    const changes = async (work) => {
      const before = await picture();
      await work();
      await page.waitForTimeout(150);
      return (await picture()) !== before;
    };
    await page.locator("canvas").scrollIntoViewIfNeeded();
    assert.ok(await changes(() => page.click("[data-zoom='1.6']")));
    assert.ok(await changes(() => page.click("[data-zoom='0']")));
    await page.locator("h1").click();
    await page.locator("canvas").hover();
    assert.ok(!await changes(() => page.mouse.wheel(0, -200)));
    await page.locator("canvas").scrollIntoViewIfNeeded();
    await page.locator("canvas").focus();
    assert.ok(await changes(() => page.keyboard.press("+")));
    assert.ok(await changes(() => page.keyboard.press("ArrowLeft")));
    await page.locator("canvas").hover();
    assert.ok(await changes(() => page.mouse.wheel(0, -200)));
  });

tests["on paper, the map is a vector graphic, and the page is light"] = () =>
  withPage({viewport: {width: 800, height: 1100}, colorScheme: "dark"}, async (page) => {
    await page.emulateMedia({media: "print"});
    assert.equal(await page.locator("canvas").isVisible(), false);
    assert.ok(await page.locator(".picture svg").isVisible());
    assert.ok(await page.locator(".picture svg text").count() > 5);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    const pdf = await page.pdf({format: "A4", ...(folder && {path: `${folder}/report.pdf`})});
    assert.ok(pdf.length > 10000);
  });

tests["without JavaScript, the page shows the results as text"] = async () => {
  const context = await browser.newContext({javaScriptEnabled: false}), page = await context.newPage();
  await page.goto(`file://${file}`);
  assert.match(await page.locator("#text").innerText(), /What to cite/);
  await context.close();
};

const failed = await run(tests);
await browser.close();
process.exit(failed ? 1 : 0);
