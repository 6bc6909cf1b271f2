// The map of all words: search, neighbours on the map, and areas of words.

import {ApiError, ask, Contexts, Similar} from "./api";
import type {Page} from "./app";
import {modelChoice} from "./app";
import {combobox} from "./combobox";
import {add, announce, bar, count, h} from "./dom";
import {expectMap, loadMap, MapState, Polygon, WordMap} from "./map_data";
import {Colouring, Mark, MapPanel} from "./map_panel";
import {rampGradient, theme} from "./map_theme";
import {expression, go, link, parse, read, State} from "./state";

const NEIGHBOURS = 15;
const IN_VIEW = 40;       // words of the list below the map
const LISTED = 100;       // words of a selection that are listed at first
const OF_MEAN = 50;       // most frequent words of a selection of which the mean is taken
const OF_CONTEXTS = 12;   // and of which the contexts are compared

// ---- The state in the address

const short = (value: number) => String(Number(value.toPrecision(5)));

function readAt(text: string): {x: number; y: number; zoom: number} | null {
  const [x, y, zoom] = text.split(",").map(Number);
  return [x, y, zoom].every(Number.isFinite) && zoom > 0 ? {x, y, zoom} : null;
}

function readArea(text: string): Polygon | null {
  const numbers = text.split(",").map(Number), corners: Polygon = [];
  if (!numbers.every(Number.isFinite) || numbers.length < 6) return null;
  for (let k = 0; k + 1 < numbers.length; k += 2) corners.push([numbers[k], numbers[k + 1]]);
  return corners;
}

const writeArea = (polygon: Polygon) => polygon.map(([x, y]) => `${short(x)},${short(y)}`).join(",");

// ---- What is kept while the view is shown

interface Shown { page: Page; panel: MapPanel; map: WordMap | null; side: HTMLElement; inView: HTMLElement; note: HTMLElement; field: HTMLInputElement; colours: HTMLSelectElement; key: HTMLElement; lasso: HTMLButtonElement; model: string }
let shown: Shown | null = null;

/** Changes the address without a new entry in the history. */
function replace(state: State): void {
  history.replaceState(null, "", link(state));
}

function onMoved(): void {
  if (!shown?.map || !shown.panel.element.isConnected) return;
  const {x, y, zoom} = shown.panel.position, {state} = shown.page;
  // An address that the browser has not announced yet, such as that of a search, must not be replaced.
  if (link({...read(), at: ""}) !== link({...state, at: ""})) return;
  state.at = [short(x), short(y), short(zoom)].join(",");
  replace(state);
  listInView(shown);
}

function listInView(s: Shown): void {
  const map = s.map!, words = s.panel.labelled.slice(0, IN_VIEW).sort((a, b) => a - b);
  s.inView.replaceChildren(...words.map((place) => h("li", {}, h("a", {href: link({...s.page.state, plus: [map.words[place]], minus: [], area: ""})}, map.form(place)))));
}

// ---- The word

function row(page: Page, map: WordMap, one: {word: string; cosine: number; count?: number}): HTMLElement {
  const place = map.find(one.word);
  return h("tr", {}, h("th", {scope: "row"}, h("a", {href: link({...page.state, plus: [one.word], minus: [], at: ""})}, place < 0 ? one.word : map.form(place))),
    h("td", {class: "bars"}, bar(one.cosine)), h("td", {}, one.cosine.toFixed(3)), h("td", {}, one.count === undefined ? "" : count(one.count)));
}

function table(page: Page, map: WordMap, list: {word: string; cosine: number; count?: number}[]): HTMLElement {
  return h("table", {class: "list"}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "word"), h("td", {}), h("th", {scope: "col"}, "cosine"), h("th", {scope: "col"}, "count"))),
    h("tbody", {}, list.map((one) => row(page, map, one))));
}

/** Marks the word or sum of the state on the map, and lists its neighbours. */
function showWord(s: Shown, map: WordMap, travel: boolean): void {
  const {page, panel} = s, {state} = page;
  if (!state.plus.length) {
    panel.mark([]);
    return;
  }
  const text = expression(state), single = state.plus.length === 1 && !state.minus.length;
  const own = single ? map.find(state.plus[0]) : -1;
  const markOf = (place: number): Mark => ({place, x: map.points[2 * place], y: map.points[2 * place + 1], text: map.form(place)});
  if (own >= 0) {
    panel.mark([markOf(own)]);
    if (travel) panel.focusOn(map.points[2 * own], map.points[2 * own + 1]);
  }
  page.panel(text, async (body) => {
    const answer = await ask<Similar>("similar", {positive: state.plus, negative: state.minus, top: NEIGHBOURS, model: s.model}, page.signal);
    const near = answer.similar.map((one) => map.find(one.word)).filter((place) => place >= 0);
    const between = own < 0 ? map.between(answer.similar) : null;
    const notes: string[] = [];
    if (answer.spelled.length) notes.push("Not in the model: the vector comes from the spelling.");
    if (own >= 0) panel.mark([markOf(own), ...near.map(markOf)]);
    else if (between) {
      panel.mark([{place: -1, ...between, text}, ...near.map(markOf)]);
      if (travel) panel.focusOn(between.x, between.y);
      notes.push(single && !answer.spelled.length ? "Not on the map: shown among its neighbours." : "Shown among its neighbours.");
    } else notes.push("Neither it nor its neighbours are on the map.");
    const frequency = own >= 0 && map.frequency ? `Occurs ${count(map.frequency[own])} times. ` : "";
    add(body, [h("p", {class: "remark"}, frequency, notes.join(" "), " ", h("a", {href: link({view: "words", plus: state.plus, minus: state.minus, model: state.model})}, "All about it")),
      table(page, map, answer.similar)]);
    announce(`${text}: ${answer.similar.length} neighbours`);
  }, {to: s.side});
}

// ---- An area

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], {type: "text/plain;charset=utf-8"}));
  const anchor = h("a", {href: url, download: name}) as HTMLAnchorElement;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function tsv(map: WordMap, places: number[]): string {
  const line = (place: number) => [map.words[place], map.points[2 * place], map.points[2 * place + 1],
    map.clusters[place] < 0 ? "" : map.clusters[place], ...(map.frequency ? [map.frequency[place]] : [])].join("\t");
  return [["word", "x", "y", "cluster", ...(map.frequency ? ["frequency"] : [])].join("\t"), ...places.map(line), ""].join("\n");
}

/** Words that are typical contexts of several of the words: score is the mean of log(times chance). */
async function sharedContexts(s: Shown, words: string[]): Promise<{word: string; words: number; lift: number}[]> {
  const answers = await Promise.allSettled(words.map((word) => ask<Contexts>("contexts", {word, top: 50, model: s.model}, s.page.signal)));
  const found = new Map<string, {word: string; words: number; sum: number}>();
  for (const answer of answers) {
    if (answer.status === "rejected") continue;
    const best = new Map<string, number>();
    for (const one of [...answer.value.before, ...answer.value.after]) best.set(one.word, Math.max(best.get(one.word) ?? 0, one.lift));
    for (const [word, lift] of best) {
      const entry = found.get(word) ?? {word, words: 0, sum: 0};
      entry.words++;
      entry.sum += Math.log(lift);
      found.set(word, entry);
    }
  }
  return [...found.values()].filter((one) => one.words > 1).map((one) => ({word: one.word, words: one.words, lift: Math.exp(one.sum / one.words)}))
    .sort((a, b) => b.words - a.words || b.lift - a.lift).slice(0, NEIGHBOURS);
}

function showArea(s: Shown, map: WordMap): void {
  const {page, panel} = s, {state} = page, polygon = readArea(state.area);
  const places = polygon ? map.inside(polygon) : [];
  panel.select(polygon, places);
  if (!polygon) return;
  const words = places.map((place) => map.words[place]);
  page.panel(`${count(places.length)} ${places.length === 1 ? "word" : "words"} selected`, (body) => {
    const rows = h("tbody");
    const more = h("button", {type: "button", onclick: () => list(places.length)}, "List all");
    function list(most: number): void {
      rows.replaceChildren(...places.slice(0, most).map((place) => h("tr", {},
        h("th", {scope: "row"}, h("a", {href: link({...state, plus: [map.words[place]], minus: []})}, map.form(place))),
        h("td", {}, map.frequency ? count(map.frequency[place]) : ""))));
      more.hidden = most >= places.length;
    }
    list(LISTED);
    add(body, [h("div", {class: "buttons"},
      places.length > 0 && [h("button", {type: "button", onclick: () => save("words.tsv", tsv(map, places))}, "Save table"),
        h("button", {type: "button", onclick: () => save("words.txt", words.join("\n") + "\n")}, "Save list")],
      h("button", {type: "button", onclick: () => go({...state, area: ""})}, "Clear")),
    places.length > 0 && h("div", {class: "scroll tall", role: "region", "aria-label": "Selected words", tabindex: "0"},
      h("table", {class: "list"}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "word"), h("th", {scope: "col"}, map.frequency ? "count" : ""))), rows), more)]);
    announce(`${places.length} words selected`);
  }, {to: s.side});
  if (!words.length) return;
  const first = words.slice(0, OF_MEAN);
  page.panel("What they have in common", async (body) => {
    const answer = await ask<Similar>("similar", {positive: first, top: NEIGHBOURS, forms: true, model: s.model}, page.signal);
    add(body, [h("p", {class: "remark"}, words.length > OF_MEAN ? `The words nearest to the mean of the ${OF_MEAN} most frequent of them:` : "The words nearest to their mean:"),
      table(page, map, answer.similar)]);
  }, {to: s.side});
  if (words.length < 2 || !page.models.models.find((one) => one.name === s.model)?.counts) return;
  page.panel("Contexts that they share", async (body) => {
    const found = await sharedContexts(s, words.slice(0, OF_CONTEXTS)), of = Math.min(words.length, OF_CONTEXTS);
    add(body, found.length ? h("table", {class: "list"}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "word"), h("td", {}), h("th", {scope: "col"}, `of ${of} words`), h("th", {scope: "col"}, "× chance"))),
      h("tbody", {}, found.map((one) => h("tr", {}, h("th", {scope: "row"}, h("a", {href: link({...state, plus: [one.word], minus: [], area: "", at: ""})}, one.word)),
        h("td", {class: "bars"}, bar(one.words / of)), h("td", {}, one.words), h("td", {}, one.lift.toFixed(1))))))
      : h("p", {}, "None in the counts."));
  }, {to: s.side});
}

// ---- The view

function describe(state: MapState): string {
  if (state.state === "waiting") return "The map is waiting for another one to be made.";
  const stage = state.stage ? state.stage[0].toUpperCase() + state.stage.slice(1) : "Starting";
  return `${stage}${state.total ? `: ${Math.floor((100 * (state.done ?? 0)) / state.total)} %` : " …"}`;
}

/** Shows what the state says. `first`: the view is new. */
function update(s: Shown, first: boolean): void {
  const {page, panel, map} = s, {state} = page, at = readAt(state.at);
  s.field.value = expression(state);
  s.side.replaceChildren();
  const colours: Colouring = state.colour === "frequency" && map?.frequency ? "frequency" : "cluster";
  panel.colour(colours);
  s.colours.value = colours;
  s.key.hidden = colours !== "frequency";
  s.key.style.setProperty("--scale", rampGradient(theme().dark));
  if (!map) return;
  if (at) panel.go(at.x, at.y, at.zoom, !first);
  showArea(s, map);
  showWord(s, map, !at);
  if (!state.plus.length && !state.area) add(s.side, h("section", {class: "card"}, h("h2", {}, `${count(map.count)} words`),
    h("p", {class: "remark"}, `${count(map.clusterCount)} clusters. Similar words are near each other; positions and distances over the whole map say little.`)));
  panel.redraw();
}

function load(s: Shown): void {
  const {page, note} = s, model = s.model, meter = h("progress", {max: 1, "aria-label": "Progress of the map"}) as HTMLProgressElement;
  const text = h("p", {}, "Loading the map …");
  note.replaceChildren(text);
  note.hidden = false;
  note.removeAttribute("role");
  loadMap(model, page.signal, (state) => {
    text.textContent = describe(state);
    if (state.total) meter.value = (state.done ?? 0) / state.total;
    if (!meter.isConnected) add(note, [meter, h("p", {class: "remark"}, "The map of the most frequent words is being made. Meanwhile the other views work.")]);
  }).then((map) => {
    if (shown !== s) return;
    s.map = map;
    note.hidden = true;
    s.panel.show(map);
    update(s, true);
    window.setTimeout(() => { if (shown === s) listInView(s); }, 300);
    announce(`The map has ${count(map.count)} words`);
  }, (error: Error) => {
    if (error.name === "AbortError") return;
    note.replaceChildren(h("p", {class: "failure"}, error instanceof ApiError ? error.message : `This is a defect: ${error.message}`));
    note.setAttribute("role", "alert");
  });
}

/** Called when the address changes while the map is shown: keeps it. */
export function keepMap(page: Page): boolean {
  if (!shown || !shown.panel.element.isConnected || shown.model !== page.model()) return false;
  shown.page = page;
  if (!shown.map) load(shown); // the request of the view before was stopped
  update(shown, false);
  return true;
}

export function mapView(page: Page): void {
  expectMap(page.model(), page.signal);
  const panel = new MapPanel({
    pick: (place) => { if (shown?.map) go({...shown.page.state, plus: [shown.map.words[place]], minus: [], area: ""}); },
    area: (polygon) => { if (shown) { setLasso(false); go({...shown.page.state, area: polygon ? writeArea(polygon) : ""}); } },
    moved: onMoved,
  }, (["plain", "webgl"] as const).find((name) => new URLSearchParams(location.search).has(name)) ?? "auto");
  const submit = (text: string) => {
    const next = text.trim() ? parse(text, page.state.model) : {plus: [], minus: []};
    if (next && shown) go(next.view === "analogy" ? next : {...shown.page.state, plus: next.plus ?? [], minus: next.minus ?? [], area: "", at: ""});
  };
  const field = combobox("Find a word", expression(page.state), page.model, submit);
  field.input.setAttribute("data-first", "");
  const colours = h("select", {id: "colours", onchange: () => { if (shown) go({...shown.page.state, colour: colours.value === "cluster" ? "" : colours.value}); }},
    h("option", {value: "cluster"}, "cluster"), h("option", {value: "frequency"}, "frequency")) as HTMLSelectElement;
  const lasso = h("button", {type: "button", class: "lasso", "aria-pressed": "false", title: "Draw around words (or hold Shift)",
    onclick: () => setLasso(!panel.lasso)}, "Lasso") as HTMLButtonElement;
  const side = h("div", {class: "map-side"}), inView = h("ul", {class: "map-words", "aria-label": "Words in view"});
  const note = h("div", {class: "map-note"});
  const key = h("div", {class: "map-key", hidden: true, "aria-hidden": "true"}, "rare", h("i", {}), "frequent");
  const button = (name: string, text: string, act: () => void) => h("button", {type: "button", "aria-label": name, title: name, onclick: act}, text);
  add(panel.element, [h("div", {class: "map-zoom"}, button("Zoom in", "+", () => panel.zoomBy(1.6)), button("Zoom out", "−", () => panel.zoomBy(1 / 1.6)),
    button("Show the whole map", "⤢", () => panel.fit())), key, note]);
  function setLasso(on: boolean): void {
    panel.lasso = on;
    lasso.setAttribute("aria-pressed", String(on));
    panel.element.classList.toggle("drawing", on);
  }
  add(page.main, h("div", {class: "map-view"},
    h("form", {class: "query", role: "search", onsubmit: (event: Event) => { event.preventDefault(); submit(field.input.value); }},
      field.element, h("button", {type: "submit"}, "Find"), modelChoice(page),
      h("div", {class: "field narrow"}, h("label", {for: "colours"}, "Colours"), colours),
      lasso, button("Select a rectangle", "Rectangle", () => panel.selectMiddle())),
    h("div", {class: "map-grid"}, h("div", {class: "map-frame"}, panel.element,
      h("p", {id: "map-help", class: "map-help"}, "Drag to move, scroll or pinch to zoom, click a word. Keys: arrows, + and −, 0 for all, Enter for the word in the middle, s to select a rectangle."),
      h("details", {}, h("summary", {}, "Words in view"), inView)), side)));
  shown = {page, panel, map: null, side, inView, note, field: field.input, colours, key, lasso, model: page.model()};
  update(shown, true);
  load(shown);
}
