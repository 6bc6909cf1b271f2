// Test sets: the score of a model with its interval, and the questions that it fails most.

import {ask, Evaluation, Mistake} from "./api";
import {modelChoice, Page} from "./app";
import {add, announce, count, h, scrolled, tableHead} from "./dom";
import {link} from "./state";

const MISTAKES = 20;
const number = (value: number | null) => (value === null ? "–" : value.toFixed(3));

/** A score as a mark on a line from 0 to 1, with its interval. */
function interval(low: number | null, score: number | null, high: number | null): HTMLElement {
  const element = h("span", {class: "interval", "aria-hidden": "true"});
  const clip = (value: number | null) => String(Math.max(0, Math.min(1, value ?? 0)));
  element.style.setProperty("--low", clip(low ?? score));
  element.style.setProperty("--score", clip(score));
  element.style.setProperty("--high", clip(high ?? score));
  return element;
}

function rank(value: number | null): string {
  return value === null ? "" : `rank ${Number.isInteger(value) ? value : value.toFixed(1)}`;
}

/** The words of the question lead to the view that explains the answer. */
function question(one: Mistake, kind: string, model: string): HTMLElement {
  const words = one.question.split(" ");
  if (kind === "similarity" && words.length === 2) return h("a", {href: link({view: "compare", words, model})}, one.question);
  if (kind === "analogy" && words.length === 3) return h("a", {href: link({view: "analogy", words, model})}, `${words[0]} : ${words[1]} :: ${words[2]}`);
  return h("a", {href: link({view: "words", plus: words.slice(0, 1), model})}, one.question);
}

function mistakesTable(list: Mistake[], kind: string, model: string): HTMLElement {
  const sections = list.some((one) => one.section);
  const ranked = kind === "similarity";
  return scrolled("Mistakes", h("table", {class: "list"},
    tableHead("question", ...(sections ? ["section"] : []), ranked ? "by people" : "expected", ranked ? "by the model" : "answer", "loss"),
    h("tbody", {}, list.map((one) => h("tr", {}, h("th", {scope: "row"}, question(one, kind, model)), sections && h("td", {class: "prose"}, one.section ?? ""),
      h("td", {}, ranked ? rank(one.expected_rank) : one.expected ?? ""), h("td", {}, ranked ? rank(one.answer_rank) : one.answer ?? "none"), h("td", {}, one.loss.toFixed(3)))))));
}

const LOSS: Record<string, string> = {
  similarity: "Pairs that the model ranks most differently from people; loss is the difference of the ranks as a share of all ranks.",
  analogy: "Analogies whose answer by 3CosAdd scores highest above the right one; loss is the difference of the scores.",
  choice: "Choices whose answer is nearest compared with the right one; loss is the difference of the cosines.",
  categories: "Words in a cluster of another category; loss is the share of the cluster that has another category.",
};

function results(page: Page, model: string, sets: string[]): void {
  const answer = ask<Evaluation>("eval", {model, set: sets, resamples: 1000, mistakes: MISTAKES}, page.signal);
  page.panel(`Scores of ${model}`, async (body) => {
    const {scores} = await answer;
    add(body, scrolled("Scores", h("table", {class: "list"}, tableHead("set", "measure", "score", "95 % interval", "questions"),
      h("tbody", {}, scores.filter((one) => one.section === null).map((one) => h("tr", {},
        h("th", {scope: "row"}, h("a", {href: link({view: "tests", sets: [one.set], model: page.state.model})}, one.set)), h("td", {}, one.measure), h("td", {}, number(one.score)),
        h("td", {class: "bars"}, interval(one.low, one.score, one.high), h("small", {}, `${number(one.low)} to ${number(one.high)}`)),
        h("td", {}, `${count(one.known)} of ${count(one.total)}`)))))));
    announce(`Scores of ${model} on ${scores.filter((one) => one.section === null).map((one) => `${one.set}: ${number(one.score)}`).join(", ")}`);
  }, {wide: true});
  page.panel("Questions that fail most", async (body) => {
    const found = await answer;
    for (const set of found.sets) {
      const list = (found.mistakes ?? []).filter((one) => one.set === set.name);
      add(body, [h("h3", {}, set.name), list.length ? [h("p", {class: "remark"}, LOSS[set.kind] ?? ""), mistakesTable(list, set.kind, page.state.model)]
        : h("p", {}, "None of the known questions.")]);
    }
  }, {wide: true});
}

export function testsView(page: Page): void {
  const {state, models} = page;
  const all = [...models.sets, ...models.builtin_sets];
  const chosen = state.sets.filter((one) => all.includes(one));
  const place = (name: string) => h("li", {class: "chip"}, h("a", {href: link({view: "tests", sets: [name], model: state.model}), "aria-current": chosen.includes(name) ? "true" : null}, name));
  const choice = modelChoice(page);
  add(page.main, [choice && h("form", {class: "query", onsubmit: (event: Event) => event.preventDefault()}, choice),
    h("p", {}, "Score a model on a test set, and see where it fails."),
    h("ul", {class: "chips", "aria-label": "Test sets"}, all.map(place),
      all.length > 1 && h("li", {class: "chip"}, h("a", {href: link({view: "tests", sets: all, model: state.model})}, "all sets")))]);
  if (chosen.length) results(page, page.model(), chosen);
}
