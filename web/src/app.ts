// The page of psdvec explore: one view at a time, drawn from the address.
//
// A view is a function that adds panels to the page; each panel asks the server by itself and can
// fail by itself. A new panel, such as a map of the words, is one more function in a list of panels.

import {ApiError, ask, Models} from "./api";
import {add, announce, h} from "./dom";
import {link, read, State} from "./state";
import {isStatic} from "./static";
import {analogyView, compareView} from "./view_pairs";
import {keepMap, mapView} from "./view_map";
import {modelsView} from "./view_models";
import {testsView} from "./view_tests";
import {textView} from "./view_text";
import {topicsView} from "./view_topics";
import {wordsView} from "./view_words";

/** What a view gets. */
export interface Page {
  state: State;
  models: Models;
  main: HTMLElement;
  signal: AbortSignal; // fires when another view is shown
  /** Adds a panel with a heading; `fill` gets its body. A failure is shown in its place. */
  panel(title: string, fill: (body: HTMLElement) => Promise<void> | void, options?: {wide?: boolean; to?: Node}): HTMLElement;
  model(): string; // the chosen one
}

/** `keep`: the view is shown already, and changes itself; false: it is shown anew. */
const allViews: {name: string; title: string; show: (page: Page) => void; keep?: (page: Page) => boolean}[] = [
  {name: "words", title: "Words", show: wordsView},
  {name: "map", title: "Map", show: mapView, keep: keepMap},
  {name: "compare", title: "Compare", show: compareView},
  {name: "analogy", title: "Analogy", show: analogyView},
  {name: "text", title: "Text", show: textView},
  {name: "topics", title: "Topics", show: topicsView},
  {name: "tests", title: "Tests", show: testsView},
  {name: "models", title: "Models", show: modelsView},
];
/** Probabilities need the program. */
const views = allViews.filter((view) => !isStatic || !["text", "tests", "topics"].includes(view.name));

let models: Models;
/** The views that this server has data for. */
const offered = () => views.filter((one) => one.name !== "topics" || models.topics?.length);
let current: AbortController | null = null;

function show(): void {
  const state = read();
  const main = document.getElementById("content")!;
  const view = offered().find((one) => one.name === state.view) ?? views[0];
  // The focus stays in a field of the view if it was there.
  const inside = main.contains(document.activeElement) && document.activeElement instanceof HTMLInputElement;
  current?.abort();
  current = new AbortController();
  const signal = current.signal;
  for (const one of document.querySelectorAll("#views a"))
    if (one.getAttribute("data-view") === view.name) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  const page: Page = {
    state, models, main, signal,
    model: () => (models.models.some((one) => one.name === state.model) ? state.model : models.models[0].name),
    panel(title, fill, options = {}) {
      const body = h("div", {class: "body", "aria-busy": "true"}, h("p", {class: "wait"}, "…"));
      const panel = h("section", {class: options.wide ? "card whole" : "card"}, h("h2", {}, title), body);
      add(options.to ?? main, panel);
      const fresh = h("div");
      Promise.resolve(fill(fresh)).then(() => body.replaceChildren(...fresh.childNodes), (error: Error) => {
        if (error.name === "AbortError") return;
        body.replaceChildren(h("p", {class: "failure"}, error instanceof ApiError ? error.message : `This is a defect: ${error.message}`));
        announce(error.message);
      }).finally(() => body.removeAttribute("aria-busy"));
      return panel;
    },
  };
  if (view.keep?.(page)) return;
  main.replaceChildren();
  main.classList.toggle("broad", view.name === "map");
  view.show(page);
  if (inside || !main.querySelector(":focus")) {
    const field = main.querySelector<HTMLElement>("[data-first]");
    if (inside && field) field.focus();
  }
}

/** A choice among the models, if there are several. */
export function modelChoice(page: Page): HTMLElement | null {
  if (page.models.models.length < 2) return null;
  const select = h("select", {id: "model", onchange: (event: Event) => {
    location.hash = link({...page.state, model: (event.target as HTMLSelectElement).value});
  }}, page.models.models.map((one) => h("option", {value: one.name, selected: one.name === page.model()}, one.name)));
  return h("div", {class: "field"}, h("label", {for: "model"}, "Model"), select);
}

async function begin(): Promise<void> {
  const nav = document.getElementById("views")!;
  try {
    models = await ask<Models>("models", {});
  } catch (error) {
    add(document.getElementById("content")!, h("p", {class: "failure", role: "alert"}, (error as Error).message));
    return;
  }
  nav.replaceChildren(...offered().map((view) => h("a", {href: link({view: view.name}), "data-view": view.name}, view.title)));
  document.title = `${models.models.map((one) => one.name).join(", ")} – psdvec explore`;
  window.addEventListener("hashchange", () => { if (location.hash !== "#content") show(); });
  document.querySelector(".skip")!.addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("content")!.focus();
  });
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
    const field = document.querySelector<HTMLInputElement>("[data-first]");
    if (!field) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
  show();
  if (!location.hash) document.querySelector<HTMLElement>("[data-first]")?.focus();
}

begin();
