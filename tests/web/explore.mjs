// The page of psdvec explore in Chromium: every feature is clicked and typed.
//
//   explore.mjs URL [FOLDER]    URL: of a server with two models and counts;
//                               FOLDER: gets pictures at three widths, light and dark
//
// Prints TAP. Runs in the folder that has playwright-core and axe-core in node_modules.

import assert from "node:assert/strict";
import {join} from "node:path";
import {launch} from "./harness.mjs";
import {run} from "./tap.mjs";

const [url, folder] = process.argv.slice(2);
const {page, outside, problems, open, settled, changes, text, rows, accessible, close} = await launch(url);

const states = {
  start: "", word: "#view=words&q=king", sum: "#view=words&q=king&q=woman&minus=man", compare: "#view=compare&w=king&w=queen",
  analogy: "#view=analogy&w=man&w=king&w=woman", text: "#view=text&text=the+king+and+the+zebra+hear+music", models: "#view=models",
  topics: "#view=topics", topic: "#view=topics&topic=2", document: "#view=topics&document=1", mixture: "#view=topics&text=folk+music+and+popular+music",
  tests: "#view=tests", scores: "#view=tests&set=pairs",
};

const tests = {
  async "the page is complete within five seconds, also on a busy machine"() {
    const begin = Date.now();
    await open("");
    assert.ok(Date.now() - begin < 5000);
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "combobox");
  },
  async "typing completes words, most frequent first, and Enter shows the neighbours"() {
    await open("");
    await page.keyboard.type("mu");
    await page.waitForSelector("[role=option]");
    assert.match(await text("[role=option]"), /^music\s*190$/);
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.locator("[role=option][aria-selected=true]").count(), 1);
    await changes(() => page.keyboard.press("Enter"));
    assert.match(page.url(), /q=music/);
    assert.ok(await rows().count() >= 5);
    assert.equal(await page.evaluate(() => document.activeElement.value), "music");
  },
  async "Escape closes the completions, and a click takes one"() {
    await open("");
    await page.keyboard.type("qu");
    await page.waitForSelector("[role=option]");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("[role=option]").count(), 0);
    await page.keyboard.type("e");
    await page.waitForSelector("[role=option]");
    await changes(() => page.locator("[role=option]").first().click());
    assert.match(page.url(), /q=queen/);
  },
  async "neighbours have bars, cosines and frequencies, for each model side by side"() {
    await open(states.word);
    assert.equal(await page.locator(".neighbours .card").count(), 2);
    assert.deepEqual(await page.locator(".neighbours h2").allInnerTexts(), ["model", "other"]);
    const answer = await (await fetch(`${url}api/v1/similar?positive=king&top=20`)).json();
    const first = rows(".neighbours .card tbody").first();
    assert.match(await first.innerText(), new RegExp(`${answer.similar[0].word}[^]*${answer.similar[0].cosine.toFixed(3)}[^]*${answer.similar[0].count}`));
    const widths = await page.locator(".neighbours .card").first().locator(".bar-line").evaluateAll((all) => all.map((one) => Number(one.style.getPropertyValue("--share"))));
    assert.deepEqual(widths, [...widths].sort((a, b) => b - a));
    assert.ok(await page.locator(".shared").count() >= 2, "words of both models are marked");
  },
  async "a click on a neighbour shows its neighbours, and the back button returns"() {
    await open(states.word);
    const word = await rows().first().locator("th a").innerText();
    await changes(() => rows().first().locator("th a").click());
    assert.equal(await page.inputValue("[data-first]"), word);
    await changes(() => page.goBack());
    assert.equal(await page.inputValue("[data-first]"), "king");
    await changes(() => page.goForward());
    assert.equal(await page.inputValue("[data-first]"), word);
  },
  async "words are added and subtracted with buttons, chips and signs"() {
    await open(states.word);
    const word = await rows().first().locator("th a").innerText();
    await changes(() => rows().first().getByRole("button", {name: `Subtract ${word}`}).click());
    assert.equal(await page.locator(".chip").count(), 2);
    assert.equal(await page.locator(".chip.minus").count(), 1);
    await changes(() => page.getByRole("button", {name: `Add ${word} instead`}).click());
    assert.equal(await page.locator(".chip.minus").count(), 0);
    await changes(() => page.getByRole("button", {name: `Remove ${word}`}).click());
    assert.equal(await page.locator(".chip").count(), 0);
    await page.fill("[data-first]", "king - man + woman");
    await changes(() => page.keyboard.press("Enter"));
    assert.equal(new URL(page.url()).hash, "#view=words&q=king&q=woman&minus=man");
    const answer = await (await fetch(`${url}api/v1/similar?positive=king&positive=woman&negative=man`)).json();
    assert.equal(await rows().first().locator("th a").innerText(), answer.similar[0].word);
  },
  async "a word that the model does not have is shown by its spelling"() {
    await open("#view=words&q=dancing");
    assert.match(await text(".card .remark"), /Not in the model: dancing/);
    await open("#view=words&q=%F0%9F%90%98");
    assert.match(await text(".failure"), /not in the model/);
  },
  async "a word shows its contexts, if there are counts"() {
    await open("#view=words&q=music");
    assert.match(await text(".halves"), /before music[^]*popular[^]*after music[^]*hall/);
    assert.equal(await page.locator(".halves").count(), 2, "for each model");
  },
  async "two words are compared, with reasons"() {
    await open(states.word);
    await changes(() => rows().first().locator("td a").click());
    assert.match(page.url(), /view=compare&w=king/);
    await page.fill("[data-first]", "king");
    await page.locator("main [role=combobox]").nth(1).fill("queen");
    await changes(() => page.keyboard.press("Enter"));
    const answer = await (await fetch(`${url}api/v1/explain?a=king&b=queen`)).json();
    assert.ok((await text(".facts")).includes(answer.cosine.toFixed(3)));
    assert.equal(await rows().count(), answer.contexts.length);
    await changes(() => page.selectOption("#model", "other"));
    assert.match(page.url(), /model=other/);
  },
  async "an analogy is asked in its view, and with colons"() {
    await open(states.analogy);
    assert.deepEqual(await page.locator("h2").allInnerTexts(), ["3CosAdd", "3CosMul"]);
    const answer = await (await fetch(`${url}api/v1/analogy?a=man&b=king&c=woman`)).json();
    assert.equal(await rows().first().locator("th a").innerText(), answer.add[0].word);
    await open("");
    await page.fill("[data-first]", "man : king :: woman");
    await changes(() => page.keyboard.press("Enter"));
    assert.match(page.url(), /view=analogy&w=man&w=king&w=woman/);
  },
  async "a text shows the surprise of each word, and what comes next"() {
    await open("#view=text");
    await page.fill("#text", "the king and the zebra hear music");
    await changes(() => page.keyboard.press("Control+Enter"));
    assert.equal(await page.locator(".token").count(), 7);
    assert.equal(await text(".token.unknown"), "zebra");
    const shades = await page.locator(".token:not(.unknown)").evaluateAll((all) => new Set(all.map((one) => getComputedStyle(one).backgroundColor)).size);
    assert.ok(shades > 2, "words have different shades");
    const next = rows("main table tbody").first();
    const word = await next.locator("button").innerText();
    await changes(() => next.locator("button").click());
    assert.equal(await page.inputValue("#text"), `the king and the zebra hear music ${word}`);
  },
  async "models are listed, with a link to the tests"() {
    await open(states.models);
    assert.equal(await rows().count(), 2);
    await changes(() => page.getByRole("link", {name: "Score them on test sets"}).click());
    assert.match(page.url(), /view=tests/);
  },
  async "a word shows its spread, its rank, and why each neighbour is alike"() {
    await open("#view=words&q=woman");
    const facts = await (await fetch(`${url}api/v1/word?word=woman&model=other`)).json();
    const panel = page.locator("section", {hasText: "woman among others: other"});
    assert.ok((await panel.innerText()).includes(`±${facts.spread.toFixed(3)}`));
    assert.ok((await panel.innerText()).includes(`${facts.rank} of ${facts.words}`));
    assert.equal(await panel.locator("tr.own").count(), 1);
    assert.match(await page.locator(".neighbours .card").nth(1).innerText(), /±\d\.\d{3}/, "the spread of neighbours");
    assert.match(await page.locator(".neighbours .card").nth(0).innerText(), /^(?![^]*±)/, "there is none in the model without");
    const row = rows(".neighbours .card tbody").first();
    const other = await row.locator("th a").innerText();
    const button = row.getByRole("button", {name: `Why is ${other} like woman?`});
    await button.focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".below .facts");
    assert.equal(await button.getAttribute("aria-expanded"), "true");
    const answer = await (await fetch(`${url}api/v1/explain?a=woman&b=${other}`)).json();
    assert.ok((await text(".below")).includes(answer.cosine.toFixed(3)));
    await page.keyboard.press("Enter");
    assert.equal(await page.locator(".below").count(), 0);
  },
  async "topics lead to their documents, and back"() {
    await open(states.start);
    await changes(() => page.locator("#views a", {hasText: "Topics"}).click());
    const answer = await (await fetch(`${url}api/v1/topics?words=12`)).json();
    assert.equal(await rows().count(), answer.topics.length);
    assert.ok((await rows().first().innerText()).includes(answer.topics[0].words));
    await changes(() => rows().nth(1).locator("th a").click());
    assert.match(page.url(), /topic=2/);
    assert.equal(await page.locator(".grid .card").count(), 2);
    const topic = await (await fetch(`${url}api/v1/topic?topic=2&documents=1`)).json();
    const first = rows(".grid .card:nth-child(2) tbody").first();
    assert.ok((await first.innerText()).includes(topic.documents[0].beginning));
    await changes(() => first.locator("th a").click());
    assert.match(page.url(), new RegExp(`document=${topic.documents[0].document}`));
    assert.ok((await text("blockquote")).includes(topic.documents[0].beginning));
    assert.match(await rows().first().innerText(), /Topic 2/);
    await changes(() => page.goBack());
    assert.match(page.url(), /topic=2/);
    await changes(() => page.goBack());
    await page.fill("#text", "folk music and popular music");
    await changes(() => page.keyboard.press("Control+Enter"));
    const mixture = await (await fetch(`${url}api/v1/mixture?text=folk+music+and+popular+music`)).json();
    const best = mixture.shares.indexOf(Math.max(...mixture.shares)) + 1;
    assert.match(await rows().first().innerText(), new RegExp(`Topic ${best}`));
  },
  async "test sets are scored, with the questions that fail most"() {
    await open(states.tests);
    assert.equal(await page.locator(".chips li").count(), 9);
    await changes(() => page.locator(".chips a", {hasText: /^pairs$/}).click());
    assert.match(await page.locator(".card").first().innerText(), /pairs\s+spearman\s+-?\d\.\d{3}/);
    const answer = await (await fetch(`${url}api/v1/eval?set=pairs&resamples=0&mistakes=20`)).json();
    const failed = page.locator(".card").last();
    assert.equal(await failed.locator("tbody tr").count(), answer.mistakes.length);
    assert.ok((await failed.locator("tbody tr").first().innerText()).includes(answer.mistakes[0].question));
    await changes(() => failed.locator("tbody a").first().click());
    assert.match(page.url(), /view=compare/);
    await changes(() => page.goBack());
    await changes(() => page.selectOption("#model", "other"));
    assert.match(await text(".card h2"), /Scores of other/);
  },
  async "the keyboard reaches everything, and / the field"() {
    await open(states.word);
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("Tab");
    assert.match(await page.evaluate(() => document.activeElement.className), /skip/);
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "content");
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "combobox");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Show");
  },
  async "words with markup are shown as text"() {
    await open(`#view=words&q=${encodeURIComponent("<img src=x onerror=alert(1)>")}`);
    assert.equal(await page.locator("main img").count(), 0);
  },
  async "every view passes axe and fits at 1400, 800 and 390 px, light and dark"() {
    for (const [name, hash] of Object.entries(states)) {
      await open(hash);
      await accessible(name, {all: name === "word", look: async (width, scheme) => {
        if (folder) await page.screenshot({path: join(folder, `${name}-${width}-${scheme}.png`), fullPage: true});
      }});
    }
  },
  async "tables of neighbours and contexts fit a phone without scrolling"() {
    await page.setViewportSize({width: 390, height: 900});
    for (const name of ["word", "compare"]) {
      await open(states[name]);
      const wide = await page.locator(".scroll").evaluateAll((all) => all.filter((one) => one.firstElementChild.offsetWidth > one.clientWidth).map((one) => one.getAttribute("aria-label")));
      assert.deepEqual(wide, [], name);
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
