// A text: the probability of each word, coloured, and what comes next.

import {ask, Next, Score, ScoredWord} from "./api";
import {modelChoice, Page} from "./app";
import {add, announce, bar, h} from "./dom";
import {go} from "./state";

const SAMPLE = "the king and the queen of england listened to classical music in the palace";

const bits = (logarithm: number) => -logarithm / Math.LN2;
const percent = (share: number) => (share >= 0.001 ? `${(100 * share).toFixed(2)} %` : `${(100 * share).toExponential(1)} %`);

/** A word with a shade by its surprisal; all of them are explained by their title and their text. */
function colouredWord(word: ScoredWord, most: number): HTMLElement {
  if (!word.known || word.log_probability === undefined)
    return h("span", {class: "token unknown", title: "not in the model"}, word.word);
  const surprisal = bits(word.log_probability);
  const gain = word.log_unigram === undefined ? 0 : bits(word.log_unigram) - surprisal;
  const element = h("span", {class: word.surprising ? "token surprising" : "token",
    title: `${surprisal.toFixed(1)} bits, probability ${percent(Math.exp(word.log_probability))}; the context ${gain >= 0 ? "saves" : "costs"} ${Math.abs(gain).toFixed(1)} bits`},
  word.word, h("small", {}, surprisal.toFixed(1)));
  element.style.setProperty("--share", String(Math.min(1, surprisal / most)));
  return element;
}

export function textView(page: Page): void {
  const {state} = page;
  const model = page.models.models.find((one) => one.name === page.model())!;
  const most = Math.log2(model.words);
  const area = h("textarea", {id: "text", rows: "5", "data-first": true, placeholder: SAMPLE}, state.text) as HTMLTextAreaElement;
  const submit = () => go({view: "text", text: area.value.trim() || SAMPLE, model: state.model});
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
  });
  add(page.main, h("form", {class: "query tall", onsubmit: (event: Event) => { event.preventDefault(); submit(); }},
    modelChoice(page), h("div", {class: "field"}, h("label", {for: "text"}, "Text (Ctrl+Enter shows it)"), area), h("button", {type: "submit"}, "Show")));
  if (!state.text) return;
  page.panel("Surprise of each word", async (body) => {
    const answer = await ask<Score>("score", {model: model.name}, page.signal, state.text);
    const words = answer.documents.flatMap((one) => one.per_word ?? []);
    const number = (value: number | null) => (value === null ? "–" : value.toFixed(1));
    add(body, h("p", {}, `In bits; a stronger shade is more surprising. A line marks words that are less probable than with a uniform distribution (${most.toFixed(1)} bits); words in brackets are not in the model.`));
    add(body, h("p", {class: "tokens"}, words.map((word) => [colouredWord(word, most), " "])));
    add(body, h("p", {class: "remark"}, `${answer.total.known} of ${answer.total.words} words are known. Perplexity ${number(answer.total.perplexity)}; of the unigrams ${number(answer.total.perplexity_unigram)}.`));
    if ((answer.total.perplexity ?? 0) > (answer.total.perplexity_unigram ?? Infinity))
      add(body, h("p", {class: "remark"}, "The words before a word make it less probable here, because sums of vectors are overconfident. psdvec fit-temperature fits a factor to a text that corrects this."));
    announce(`Perplexity ${number(answer.total.perplexity)}`);
  }, {wide: true});
  page.panel("What comes next", async (body) => {
    const answer = await ask<Next>("next", {model: model.name, top: 15}, page.signal, state.text);
    const largest = answer.next[0]?.probability || 1;
    add(body, h("p", {}, "A click appends the word."));
    add(body, h("table", {class: "list"}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "word"), h("td", {}), h("th", {scope: "col"}, "probability"), h("th", {scope: "col"}, "× unigram"))),
      h("tbody", {}, answer.next.map((one) => h("tr", {},
        h("th", {scope: "row"}, h("button", {type: "button", class: "plain", onclick: () => go({...state, text: `${state.text} ${one.word}`})}, one.word)),
        h("td", {class: "bars"}, bar(one.probability / largest)), h("td", {}, percent(one.probability)), h("td", {}, one.lift?.toFixed(1) ?? ""))))));
  });
}
