// The files of psdvec explore --export in Chromium, from a plain web server and from the disk.
//
//   export.mjs SERVER SITE FOLDER [PICTURES]    SERVER: psdvec explore with the same models;
//                                               SITE: a web server with the files of FOLDER
//
// Prints TAP.

import assert from "node:assert/strict";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {coloured, launch} from "./harness.mjs";
import {run} from "./tap.mjs";

const [server, url, site, pictures] = process.argv.slice(2);
const {page, context, outside, problems, open, changes, text, rows, accessible, close} = await launch(url);
const ask = async (route) => (await fetch(`${server}api/v1/${route}`)).json();
const mapReady = () => page.waitForFunction(() => document.querySelector(".map-note")?.hidden && !document.querySelector("[data-moving]"));
const near = (a, b, most) => assert.ok(Math.abs(a - b) <= most, `${a} instead of ${b}`);

const tests = {
  async "neighbours are those of the server, for every model"() {
    await open("#view=words&q=king");
    for (const [k, model] of ["model", "other"].entries()) {
      const {similar} = await ask(`similar?positive=king&top=20&forms=yes&model=${model}`), card = page.locator(".grid .card").nth(k);
      assert.deepEqual(await card.locator("tbody th a").allInnerTexts(), similar.map((one) => one.word));
      const cosines = await card.locator("tbody td:nth-child(3)").allInnerTexts();
      cosines.forEach((cosine, row) => near(Number(cosine), similar[row].cosine, 0.0006));
      assert.equal(await card.locator("tbody td:nth-child(4)").first().innerText(), String(similar[0].count));
    }
  },
  async "sums, comparisons and analogies are computed in the browser"() {
    await open("#view=words&q=king&q=woman&minus=man");
    const {similar} = await ask("similar?positive=king&positive=woman&negative=man&top=20&forms=yes");
    assert.equal(await rows().first().locator("th a").innerText(), similar[0].word);
    near(Number(await rows().first().locator("td").nth(1).innerText()), similar[0].cosine, 0.01);
    await open("#view=compare&w=king&w=queen");
    near(Number((await text(".facts dd"))), (await ask("compare?a=king&b=queen")).cosine, 0.01);
    await open("#view=analogy&w=man&w=king&w=woman");
    const answer = await ask("analogy?a=man&b=king&c=woman&forms=yes");
    for (const [k, list] of [answer.add, answer.mul].entries()) {
      const first = page.locator(".grid .card").nth(k).locator("tbody tr").first();
      assert.equal(await first.locator("th a").innerText(), list[0].word);
      near(Number(await first.locator("td").nth(1).innerText()), list[0].score, 0.02);
    }
  },
  async "words are completed, and missing ones explained"() {
    await open("");
    await page.keyboard.type("mu");
    await page.waitForSelector("[role=option]");
    assert.match(await text("[role=option]"), /^music\s*190$/);
    await page.keyboard.press("ArrowDown");
    await changes(() => page.keyboard.press("Enter"));
    assert.match(page.url(), /q=music/);
    await open("#view=words&q=zebra");
    assert.match(await text(".failure"), /'zebra' is not among the 68 words of this page/);
  },
  async "the map is drawn, searched and clicked"() {
    await open("#view=map");
    await mapReady();
    assert.ok(await coloured(context, page.locator(".map-box")) > 300);
    await page.fill("[data-first]", "music");
    await changes(() => page.keyboard.press("Enter"));
    assert.equal(await text(".map-side h2"), "music");
    assert.ok(await rows(".map-side tbody").count() >= 10);
    await page.locator(".map-surface").focus();
    await changes(() => page.keyboard.press("s"));
    assert.match((await page.locator(".map-side h2").allInnerTexts()).join(), /selected,What they have in common/);
  },
  async "what needs the program is left out, with a reason"() {
    await open("#view=models");
    assert.deepEqual(await page.locator("#views a").allInnerTexts(), ["Words", "Map", "Compare", "Analogy", "Models"]);
    assert.match(await text("main > p"), /consists of files only/);
    assert.equal(await page.locator("main button").count(), 0);
  },
  async "the policy forbids other scripts"() {
    await open("");
    assert.match(await page.getAttribute("meta[http-equiv]", "content"), /^default-src 'none'; script-src 'self'; /);
    const before = problems.length;
    await page.evaluate(() => { const script = document.createElement("script"); script.textContent = "document.title = 'inserted'"; document.body.append(script); });
    assert.notEqual(await page.title(), "inserted");
    assert.match(problems.splice(before).join(), /Content Security Policy/);
  },
  async "it passes axe and fits at 1400, 800 and 390 px, light and dark"() {
    for (const [name, hash] of Object.entries({start: "", word: "#view=words&q=king", map: "#view=map&q=king", models: "#view=models"})) {
      await open(hash);
      if (name === "map") await mapReady();
      await accessible(name, {look: async (width, scheme) => {
        if (pictures) await page.screenshot({path: join(pictures, `export-${name}-${width}-${scheme}.png`), fullPage: true});
      }});
    }
  },
  async "no request goes elsewhere or to an API, and nothing is reported"() {
    assert.deepEqual(outside, []);
    assert.deepEqual(problems, []);
  },
  async "it works when it is opened from the disk"() {
    await page.goto(`${pathToFileURL(join(site, "index.html"))}#view=words&q=king`);
    await page.waitForSelector(".grid tbody tr");
    assert.ok(await rows(".grid tbody").count() >= 10);
    await page.goto("about:blank");
    await page.goto(`${pathToFileURL(join(site, "index.html"))}#view=map`);
    await mapReady();
    assert.ok(await coloured(context, page.locator(".map-box")) > 300);
  },
};

const failed = await run(tests);
await close();
process.exit(failed ? 1 : 0);
