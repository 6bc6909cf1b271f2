// The models that are served, and their scores on test sets.

import {ask} from "./api";
import type {Page} from "./app";
import {add, count, h} from "./dom";
import {isStatic} from "./static";

interface Result {
  set: string; section: string | null; measure: string; score: number | null; low: number | null; high: number | null;
  known: number; total: number;
}

function facts(page: Page): void {
  const yes = (value: boolean) => (value ? "yes" : "no");
  add(page.main, h("section", {class: "card whole"}, h("h2", {}, "Models"),
    h("div", {class: "scroll", role: "region", "aria-label": "Models", tabindex: "0"}, h("table", {},
      h("thead", {}, h("tr", {}, ["name", "words", "dimensions", "method", "frequencies", "spelling", "counts"].map((name) => h("th", {scope: "col"}, name)))),
      h("tbody", {}, page.models.models.map((model) => h("tr", {}, h("th", {scope: "row"}, model.name), h("td", {}, count(model.words)), h("td", {}, count(model.dim)),
        h("td", {}, model.method ?? "not known"), h("td", {}, yes(model.has_frequencies)), h("td", {}, yes(model.has_spelling)), h("td", {}, yes(model.counts)))))))));
}

/** The scores of a model, on the sets of the server or the built-in ones. */
function scorePanel(page: Page, model: string): void {
  const {sets} = page.models;
  const panel = h("div");
  const run = (set: string[]) => {
    panel.replaceChildren();
    page.panel(`Scores of ${model}`, async (body) => {
      const answer = await ask<{scores: Result[]}>("eval", {model, set, resamples: 1000}, page.signal);
      const rows = answer.scores.filter((one) => one.section === null);
      add(body, h("table", {class: "list"},
        h("thead", {}, h("tr", {}, ["set", "measure", "score", "95 % interval", "questions"].map((name) => h("th", {scope: "col"}, name)))),
        h("tbody", {}, rows.map((row) => {
          const number = (value: number | null) => (value === null ? "–" : value.toFixed(3));
          return h("tr", {}, h("th", {scope: "row"}, row.set), h("td", {}, row.measure), h("td", {}, number(row.score)),
            h("td", {}, `${number(row.low)} to ${number(row.high)}`), h("td", {}, `${count(row.known)} of ${count(row.total)}`));
        }))));
    }, {wide: true, to: panel});
  };
  add(page.main, [h("div", {class: "buttons"}, h("button", {type: "button", onclick: () => run([])}, `Score ${model} on the built-in sets`),
    sets.length > 0 && h("button", {type: "button", onclick: () => run(sets)}, `Score ${model} on ${sets.join(", ")}`)), panel]);
}

export function modelsView(page: Page): void {
  facts(page);
  if (isStatic) {
    add(page.main, h("p", {}, `Made by psdvec ${page.models.version}. This copy of the page consists of files only, with the most frequent words. Neighbours are exact; sums, analogies and comparisons are computed here from vectors of 8 bits per component. psdvec explore also has rarer and unseen words, probabilities of texts, and scores on test sets.`));
    return;
  }
  for (const model of page.models.models) scorePanel(page, model.name);
  add(page.main, h("p", {}, `psdvec ${page.models.version}. Programs can send the same requests: `, h("a", {href: "api/v1/openapi.json"}, "api/v1/openapi.json"), "."));
}
