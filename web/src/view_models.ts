// The models that are served.

import type {Page} from "./app";
import {add, count, h, scrolled, tableHead} from "./dom";
import {link} from "./state";
import {isStatic} from "./static";

function facts(page: Page): void {
  const yes = (value: boolean) => (value ? "yes" : "no");
  add(page.main, h("section", {class: "card whole"}, h("h2", {}, "Models"),
    scrolled("Models", h("table", {},
      tableHead("name", "words", "dimensions", "method", "frequencies", "spelling", "counts"),
      h("tbody", {}, page.models.models.map((model) => h("tr", {}, h("th", {scope: "row"}, model.name), h("td", {}, count(model.words)), h("td", {}, count(model.dim)),
        h("td", {}, model.method ?? "not known"), h("td", {}, yes(model.has_frequencies)), h("td", {}, yes(model.has_spelling)), h("td", {}, yes(model.counts)))))))));
}

export function modelsView(page: Page): void {
  facts(page);
  if (isStatic) {
    add(page.main, h("p", {}, `Made by psdvec ${page.models.version}. This copy of the page consists of files only, with the most frequent words. Neighbours are exact; sums, analogies and comparisons are computed here from vectors of 8 bits per component. psdvec explore also has rarer and unseen words, probabilities of texts, and scores on test sets.`));
    return;
  }
  add(page.main, h("p", {}, h("a", {href: link({view: "tests"})}, "Score them on test sets"), "."));
  add(page.main, h("p", {}, `psdvec ${page.models.version}. Programs can send the same requests: `, h("a", {href: "api/v1/openapi.json"}, "api/v1/openapi.json"), "."));
}
