// Words: the neighbours of a word or a sum of words in every model, and the contexts of a word.

import {ask, Association, Contexts, Similar, WordFacts} from "./api";
import type {Page} from "./app";
import {combobox} from "./combobox";
import {add, announce, bar, count, h} from "./dom";
import {expression, go, link, parse} from "./state";
import {isStatic} from "./static";
import {comparison} from "./view_pairs";

const TOP = 20;

/** The words of the sum: a click changes the sign of one, or removes it. */
function chips(page: Page): HTMLElement | null {
  const {plus, minus} = page.state;
  if (plus.length + minus.length < 2 && !minus.length) return null;
  const without = (list: string[], k: number) => list.filter((_, i) => i !== k);
  const chip = (word: string, k: number, negative: boolean) => h("li", {class: negative ? "chip minus" : "chip plus"},
    h("button", {type: "button", "aria-label": negative ? `Add ${word} instead of subtracting it` : `Subtract ${word} instead of adding it`,
      onclick: () => go({...page.state, plus: negative ? plus.concat(word) : without(plus, k),
        minus: negative ? without(minus, k) : minus.concat(word)})}, negative ? "−" : "+"),
    h("a", {href: link({...page.state, plus: [word], minus: []})}, word),
    h("button", {type: "button", "aria-label": `Remove ${word}`,
      onclick: () => go({...page.state, plus: negative ? plus : without(plus, k), minus: negative ? without(minus, k) : minus})}, "×"));
  return h("ul", {class: "chips", "aria-label": "Words of the sum"},
    plus.map((word, k) => chip(word, k, false)), minus.map((word, k) => chip(word, k, true)));
}

function remarks(answer: Similar): HTMLElement[] {
  const lines: string[] = [];
  if (answer.spelled.length) lines.push(`Not in the model: ${answer.spelled.join(", ")}. The vector comes from the spelling.`);
  if (answer.combined) lines.push(`Not one word in this model; combined from ${answer.combined.join(", ")}.`);
  if (answer.forms_left_out.length) lines.push(`Forms left out: ${answer.forms_left_out.join(", ")}.`);
  const result = lines.map((line) => h("p", {class: "remark"}, line));
  if (answer.did_you_mean)
    result.push(h("p", {class: "remark"}, "Did you mean ", answer.did_you_mean.split(", ").map((word, k) =>
      [k ? ", " : "", h("a", {href: link({view: "words", plus: [word]})}, word)]), "?"));
  return result;
}

/** A button that shows in a row below why two words are alike. */
function why(page: Page, word: string, other: string, model: string): HTMLElement {
  const button = h("button", {type: "button", "aria-expanded": "false", "aria-label": `Why is ${other} like ${word}?`}, "?");
  let below: HTMLElement | null = null;
  button.addEventListener("click", async () => {
    const row = button.closest("tr")!;
    if (below) {
      below.remove();
      below = null;
      button.setAttribute("aria-expanded", "false");
      return;
    }
    const cell = h("td", {colspan: row.children.length, class: "why"}, h("p", {class: "wait"}, "…"));
    below = h("tr", {class: "below"}, cell);
    row.after(below);
    button.setAttribute("aria-expanded", "true");
    try {
      const parts = await comparison(page, word, other, model);
      cell.replaceChildren(h("div", {}, parts));
      announce(`Reasons for ${word} and ${other}`);
    } catch (error) {
      if ((error as Error).name !== "AbortError") cell.replaceChildren(h("p", {class: "failure"}, (error as Error).message));
    }
  });
  return button;
}

/** `shared`: words that the results of all models have. */
function neighbours(page: Page, answer: Similar, model: string, shared: Set<string> | null): HTMLElement {
  const {state} = page;
  const single = state.plus.length === 1 && !state.minus.length && !answer.spelled.length && !answer.combined ? state.plus[0] : null;
  const spread = answer.similar.some((one) => one.spread !== undefined);
  const counted = answer.similar.some((one) => one.count !== undefined);
  const row = (one: Similar["similar"][0]) => h("tr", {},
    h("th", {scope: "row"}, h("a", {href: link({view: "words", plus: [one.word], model: state.model})}, one.word),
      shared?.has(one.word) && h("span", {class: "shared", title: "in the results of all models"}, " =", h("span", {class: "unseen"}, " in all models"))),
    h("td", {class: "bars"}, bar(one.cosine)),
    h("td", {}, single
      ? h("a", {href: link({view: "compare", words: [single, one.word], model: state.model}), "aria-label": `${one.cosine.toFixed(3)}: compare ${single} and ${one.word}`}, one.cosine.toFixed(3))
      : one.cosine.toFixed(3)),
    counted && h("td", {}, one.count === undefined ? "" : count(one.count)),
    spread && h("td", {}, one.spread === undefined ? "–" : `±${one.spread.toFixed(3)}`),
    h("td", {class: "signs"}, single && why(page, single, one.word, model),
      h("button", {type: "button", "aria-label": `Add ${one.word}`, onclick: () => go({...state, plus: state.plus.concat(one.word)})}, "+"),
      h("button", {type: "button", "aria-label": `Subtract ${one.word}`, onclick: () => go({...state, minus: state.minus.concat(one.word)})}, "−")));
  return h("div", {class: "scroll", role: "region", "aria-label": "Neighbours", tabindex: "0"}, h("table", {class: spread ? "list dense" : "list"},
    h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "word"), h("td", {class: "bars"}), h("th", {scope: "col"}, "cosine"), counted && h("th", {scope: "col"}, "count"),
      spread && h("th", {scope: "col"}, h("abbr", {title: "Posterior standard deviation of the components of the vector: the larger, the less certain. Words of the core have none."}, "spread")),
      h("th", {scope: "col"}, h("span", {class: "unseen"}, "explain, add or subtract")))),
    h("tbody", {}, answer.similar.map(row))));
}

function associations(list: Association[], title: string, page: Page): HTMLElement {
  const largest = Math.max(...list.map((one) => one.score), 1e-9);
  return h("div", {class: "half"}, h("h3", {}, title), list.length ? h("table", {class: "list"},
    h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "word"), h("td", {}), h("th", {scope: "col"}, "count"), h("th", {scope: "col"}, "× chance"))),
    h("tbody", {}, list.map((one) => h("tr", {},
      h("th", {scope: "row"}, h("a", {href: link({view: "words", plus: [one.word], model: page.state.model})}, one.word)),
      h("td", {class: "bars"}, bar(one.score / largest)), h("td", {}, count(Math.round(one.count))), h("td", {}, one.lift.toFixed(1))))))
    : h("p", {}, "None."));
}

/** Its rank among all words, the words next to it, and its spread, in each model that has the word. */
function factsPanel(page: Page, word: string): void {
  const several = page.models.models.length > 1;
  const grid = h("div", {class: "grid"});
  add(page.main, grid);
  for (const model of page.models.models) {
    const panel = page.panel(several ? `${word} among others: ${model.name}` : `${word} among others`, async (body) => {
      const found = await ask<WordFacts>("word", {word, model: model.name}, page.signal).catch((error: Error) => {
        if (error.name === "AbortError") throw error;
        panel.remove(); // the panel of its neighbours has the message
        return null;
      });
      if (!found) return;
      const fact = (name: string, value: string) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
      const largest = Math.max(...found.around.map((one) => one.count ?? 0), 1);
      add(body, h("dl", {class: "facts"}, fact("rank by frequency", `${count(found.rank)} of ${count(found.words)}`),
        found.count !== undefined && fact("occurrences", count(found.count)),
        found.spread !== undefined && [fact("spread of the vector", `±${found.spread.toFixed(3)}`),
          fact("words with a smaller spread", `${Math.round(100 * found.spread_above!)} %`)]));
      if (found.spread === undefined && model.method === "psd")
        add(body, h("p", {class: "remark"}, "The spread of a vector is known only for words outside the core."));
      add(body, h("table", {class: "list"}, h("caption", {}, "Words with the nearest ranks"),
        h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "word"), h("td", {}), h("th", {scope: "col"}, "rank"), h("th", {scope: "col"}, "count"))),
        h("tbody", {}, found.around.map((one) => h("tr", {class: one.rank === found.rank ? "own" : null},
          h("th", {scope: "row"}, one.rank === found.rank ? one.word : h("a", {href: link({view: "words", plus: [one.word], model: page.state.model})}, one.word)),
          h("td", {class: "bars"}, bar((one.count ?? 0) / largest)), h("td", {}, count(one.rank)), h("td", {}, one.count === undefined ? "" : count(one.count)))))));
    }, {to: grid});
  }
}

function contextsPanel(page: Page, word: string): void {
  for (const model of page.models.models.filter((one) => one.counts))
    page.panel(page.models.models.length > 1 ? `Contexts of ${word}: ${model.name}` : `Contexts of ${word}`, async (body) => {
      const answer = await ask<Contexts>("contexts", {word: word.toLowerCase(), top: 12, model: model.name}, page.signal);
      add(body, h("div", {class: "halves"}, associations(answer.before, `before ${answer.word}`, page), associations(answer.after, `after ${answer.word}`, page)));
    }, {wide: true});
}

function neighbourPanels(page: Page): void {
  const {state, models} = page;
  const answers = models.models.map((model) =>
    ask<Similar>("similar", {positive: state.plus, negative: state.minus, top: TOP, model: model.name}, page.signal));
  const grid = h("div", {class: "grid neighbours"});
  add(page.main, grid);
  // Models that lack the word do not count.
  const shared = Promise.allSettled(answers).then((all) => {
    const lists = all.flatMap((one) => (one.status === "fulfilled" ? [one.value.similar.map((two) => two.word)] : []));
    return lists.length < 2 ? null : new Set(lists[0].filter((word) => lists.every((list) => list.includes(word))));
  });
  answers.forEach((answer, k) => {
    page.panel(models.models.length > 1 ? models.models[k].name : `Neighbours of ${expression(state)}`, async (body) => {
      const found = await answer;
      add(body, remarks(found));
      add(body, neighbours(page, found, models.models[k].name, await shared));
      announce(`${found.similar.length} neighbours of ${expression(state)}`);
    }, {to: grid});
  });
}

function welcome(page: Page): void {
  const sample = ["music", "king - man + woman", "man : king :: woman"];
  add(page.main, h("section", {class: "card"}, h("h2", {}, "What to type"),
    h("p", {}, "A word shows its nearest neighbours; words with + and − are added and subtracted; three words with colons are an analogy. A word that the model does not have gets a vector from its spelling."),
    h("ul", {class: "chips"}, sample.map((text) => h("li", {class: "chip"}, h("a", {href: link(parse(text, "")!)}, text)))),
    h("p", {class: "remark"}, `Press / to go to the field. ${isStatic ? "Nothing that you type leaves your browser." : "Nothing that you type leaves this machine's server."}`)));
}

export function wordsView(page: Page): void {
  const {state} = page;
  const submit = (text: string) => { const next = parse(text, state.model); if (next) go(next); };
  const field = combobox("Word, or a sum of words", expression(state), page.model, submit);
  field.input.setAttribute("data-first", "");
  add(page.main, h("form", {class: "query", role: "search", onsubmit: (event: Event) => { event.preventDefault(); submit(field.input.value); }},
    field.element, h("button", {type: "submit"}, "Show")));
  add(page.main, chips(page));
  if (!state.plus.length && !state.minus.length) return welcome(page);
  if (!state.plus.length) {
    add(page.main, h("p", {class: "failure"}, "Give at least one word that is added."));
    return;
  }
  add(page.main, h("p", {class: "remark"}, h("a", {href: link({view: "map", plus: state.plus, minus: state.minus, model: state.model})}, "Show on the map")));
  neighbourPanels(page);
  if (state.plus.length !== 1 || state.minus.length) return;
  contextsPanel(page, state.plus[0]);
  if (!isStatic) factsPanel(page, state.plus[0]); // exported pages do not have the facts
}
