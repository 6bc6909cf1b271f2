// Comparison of two words, and analogies.

import {Analogy, Answer, ask, Comparison} from "./api";
import {modelChoice, Page} from "./app";
import {combobox} from "./combobox";
import {add, announce, bar, Child, count, h} from "./dom";
import {go, link} from "./state";

/** A form with a field per word; the view is shown when all have a word. */
function wordsForm(page: Page, labels: string[], view: string, button: string): void {
  const {state} = page;
  const submit = () => {
    const words = fields.map((field) => field.input.value.trim());
    const missing = words.findIndex((word) => !word);
    if (missing >= 0) fields[missing].input.focus();
    else go({view, words, model: state.model});
  };
  const fields = labels.map((label, k) => combobox(label, state.words[k] ?? "", page.model, submit, true));
  fields[0].input.setAttribute("data-first", "");
  add(page.main, h("form", {class: "query", onsubmit: (event: Event) => { event.preventDefault(); submit(); }},
    modelChoice(page), fields.map((field) => field.element), h("button", {type: "submit"}, button)));
}

function sharedContexts(answer: Comparison, page: Page): HTMLElement {
  const list = answer.contexts ?? [];
  const largest = Math.max(...list.flatMap((one) => [one.product_a, one.product_b]), 1e-9);
  const seen = list.some((one) => one.seen_a !== undefined);
  const cells = (product: number, times: number | undefined) => [h("td", {class: "bars"}, bar(product / largest)),
    h("td", {}, product.toFixed(2)), seen && h("td", {}, times === undefined ? "" : count(Math.round(times)))];
  const heads = (word: string) => [h("td", {class: "bars"}), h("th", {scope: "col"}, `PMI with ${word}`), seen && h("th", {scope: "col"}, "count")];
  return h("div", {class: "scroll", role: "region", "aria-label": "Shared contexts", tabindex: "0"}, h("table", {class: "list dense"},
    h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "context"), heads(answer.a), heads(answer.b))),
    h("tbody", {}, list.map((one) => h("tr", {},
      h("th", {scope: "row"}, h("a", {href: link({view: "words", plus: [one.word], model: page.state.model})}, one.word)),
      cells(one.product_a, one.seen_a), cells(one.product_b, one.seen_b))))));
}

/** How similar two words are, and why. */
export async function comparison(page: Page, a: string, b: string, name: string): Promise<Child> {
  const model = page.models.models.find((one) => one.name === name)!;
  const answer = await ask<Comparison>(model.counts ? "explain" : "compare", {a, b, model: name}, page.signal);
  const fact = (title: string, value: string) => h("div", {}, h("dt", {}, title), h("dd", {}, value));
  announce(`cosine of ${answer.a} and ${answer.b}: ${answer.cosine.toFixed(3)}`);
  return [h("dl", {class: "facts"}, fact("cosine", answer.cosine.toFixed(3)), answer.product !== undefined && fact("product of the vectors", answer.product.toFixed(2)),
    answer.counts && [fact(`${answer.a} before ${answer.b}`, count(Math.round(answer.counts.count_ab))),
      fact(`${answer.b} before ${answer.a}`, count(Math.round(answer.counts.count_ba))),
      fact("PMI in the text", answer.counts.target.toFixed(2)), fact("residual", answer.counts.residual.toFixed(2))]),
  answer.contexts?.length
    ? [h("h3", {}, "Why: contexts that both have"), h("p", {}, model.counts
      ? "Words that occur near both, largest contribution first."
      : "Words near which the model expects both, largest contribution first."), sharedContexts(answer, page)]
    : answer.contexts && h("p", {}, "No context that both have stands out.")];
}

export function compareView(page: Page): void {
  const {state} = page;
  wordsForm(page, ["First word", "Second word"], "compare", "Compare");
  if (state.words.length < 2) {
    add(page.main, h("p", {}, "How similar are two words, and why?"));
    return;
  }
  page.panel(`${state.words[0]} and ${state.words[1]}`, async (body) => {
    add(body, await comparison(page, state.words[0], state.words[1], page.model()));
    add(body, h("p", {}, "Neighbours: ", state.words.map((word, k) => [k ? ", " : "", h("a", {href: link({view: "words", plus: [word], model: state.model})}, word)])));
  }, {wide: true});
}

export function analogyView(page: Page): void {
  const {state} = page;
  wordsForm(page, ["A", "is to B", "as C is to"], "analogy", "Ask");
  if (state.words.length < 3) {
    add(page.main, h("p", {}, "For example, ", h("a", {href: link({view: "analogy", words: ["man", "king", "woman"], model: state.model})}, "man is to king as woman is to what?")));
    return;
  }
  const [a, b, c] = state.words;
  const grid = h("div", {class: "grid"});
  add(page.main, grid);
  const answer = ask<Analogy>("analogy", {a, b, c, top: 12, model: page.model()}, page.signal);
  const table = (list: Answer[]) => h("table", {class: "list"},
    h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "word"), h("td", {}), h("th", {scope: "col"}, "score"), h("th", {scope: "col"}, "count"))),
    h("tbody", {}, list.map((one) => h("tr", {}, h("th", {scope: "row"}, h("a", {href: link({view: "words", plus: [one.word], model: state.model})}, one.word)),
      h("td", {class: "bars"}, bar(list[0].score > 0 ? one.score / list[0].score : 0)), h("td", {}, one.score.toFixed(3)),
      h("td", {}, one.count === undefined ? "" : count(one.count))))));
  page.panel("3CosAdd", async (body) => {
    const found = await answer;
    if (found.spelled.length) add(body, h("p", {class: "remark"}, `Not in the model: ${found.spelled.join(", ")}. The vectors come from the spelling.`));
    add(body, table(found.add));
    announce(`${a} is to ${b} as ${c} is to ${found.add[0]?.word ?? "nothing"}`);
  }, {to: grid});
  page.panel("3CosMul", async (body) => add(body, table((await answer).mul)), {to: grid});
}
