// A map of words: the bytes that the server sends (docs/reference/http-api.md), and an index of the
// places, so that pointing at a word and drawing around words are fast with a million of them.

import {ApiError, ask, askBytes} from "./api";

export interface MapState {
  state: "none" | "waiting" | "making" | "ready" | "failed";
  stage?: string; done?: number; total?: number; message?: string;
}
export interface Box { left: number; top: number; right: number; bottom: number }
export type Polygon = [number, number][];

const POINTS_PER_CELL = 4;

export class WordMap {
  readonly count: number;
  readonly clusterCount: number;
  readonly points: Float32Array;         // x and y of each word; y increases downwards
  readonly clusters: Int32Array;         // -1: none
  readonly frequency: Float64Array | null;
  readonly labels: Uint32Array;          // words that are labels, most important first
  readonly levels: Uint32Array;          // from which they are shown
  readonly words: string[];              // most frequent first
  readonly core: Box;                    // the bounds without words that are far outside
  private readonly forms = new Map<number, string>();
  private places: Map<string, number> | null = null;
  // The places in cells of a grid: those of cell c are items[starts[c]] to items[starts[c + 1] - 1].
  private readonly side: number;
  private readonly bounds: Box;
  private readonly starts: Uint32Array;
  private readonly items: Uint32Array;

  constructor(bytes: ArrayBuffer) {
    const text = new TextDecoder();
    const view = new DataView(bytes);
    if (text.decode(new Uint8Array(bytes, 0, 8)) !== "psdvmap1") throw new ApiError("The map has a form that this page cannot read.");
    const length = view.getUint32(8, true);
    const head = JSON.parse(text.decode(new Uint8Array(bytes, 12, length)));
    const n: number = head.words, m: number = head.labels;
    let at = 12 + length;
    const next = (size: number) => { const start = at; at += size; return start; };
    this.count = n;
    this.clusterCount = head.clusters;
    this.frequency = head.frequencies ? new Float64Array(bytes, next(8 * n), n) : null;
    this.points = new Float32Array(bytes, next(8 * n), 2 * n);
    this.clusters = new Int32Array(bytes, next(4 * n), n);
    this.labels = new Uint32Array(bytes, next(4 * m), m);
    this.levels = new Uint32Array(bytes, next(4 * m), m);
    this.words = text.decode(new Uint8Array(bytes, next(head.word_bytes), head.word_bytes)).split("\n");
    this.words.pop();
    for (const line of text.decode(new Uint8Array(bytes, next(head.form_bytes), head.form_bytes)).split("\n")) {
      const space = line.indexOf(" ");
      if (space > 0) this.forms.set(Number(line.slice(0, space)), line.slice(space + 1));
    }
    this.bounds = this.findBounds();
    this.core = this.findCore();
    this.side = Math.max(1, Math.ceil(Math.sqrt(n / POINTS_PER_CELL)));
    [this.starts, this.items] = this.fillCells();
  }

  /** The word as it is usually written. */
  form(place: number): string {
    return this.forms.get(place) ?? this.words[place];
  }

  /** The place of a word in the list, or -1. */
  find(word: string): number {
    this.places ??= new Map(this.words.map((one, place) => [one, place]));
    return this.places.get(word) ?? this.places.get(word.toLowerCase()) ?? -1;
  }

  private findBounds(): Box {
    const box = {left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity};
    for (let k = 0; k < 2 * this.count; k += 2) {
      const x = this.points[k], y = this.points[k + 1];
      if (x < box.left) box.left = x;
      if (x > box.right) box.right = x;
      if (y < box.top) box.top = y;
      if (y > box.bottom) box.bottom = y;
    }
    return box;
  }

  private findCore(): Box {
    const step = Math.max(1, Math.floor(this.count / 20000));
    const range = (axis: number) => {
      const sample = new Float32Array(Math.ceil(this.count / step));
      for (let k = 0; k < sample.length; k++) sample[k] = this.points[2 * k * step + axis];
      sample.sort();
      const quantile = (share: number) => sample[Math.round(share * (sample.length - 1))];
      // A group of words far from the others must not leave most of the first view empty.
      const low = quantile(0.05), high = quantile(0.95), beyond = 0.3 * (high - low);
      return [Math.max(quantile(0.005), low - beyond), Math.min(quantile(0.995), high + beyond)];
    };
    const [left, right] = range(0), [top, bottom] = range(1);
    return {left, top, right, bottom};
  }

  private column(x: number): number {
    const extent = this.bounds.right - this.bounds.left || 1;
    return Math.max(0, Math.min(this.side - 1, Math.floor(((x - this.bounds.left) / extent) * this.side)));
  }
  private row(y: number): number {
    const extent = this.bounds.bottom - this.bounds.top || 1;
    return Math.max(0, Math.min(this.side - 1, Math.floor(((y - this.bounds.top) / extent) * this.side)));
  }

  private fillCells(): [Uint32Array, Uint32Array] {
    const starts = new Uint32Array(this.side * this.side + 1), cells = new Uint32Array(this.count), items = new Uint32Array(this.count);
    for (let k = 0; k < this.count; k++) {
      cells[k] = this.row(this.points[2 * k + 1]) * this.side + this.column(this.points[2 * k]);
      starts[cells[k] + 1]++;
    }
    for (let c = 0; c < this.side * this.side; c++) starts[c + 1] += starts[c];
    const next = starts.slice();
    for (let k = 0; k < this.count; k++) items[next[cells[k]]++] = k;
    return [starts, items];
  }

  /** How many words are in the cells that the box touches: quick, and not less than are in the box. */
  countNear(box: Box): number {
    let count = 0;
    const from = this.column(box.left), to = this.column(box.right);
    for (let r = this.row(box.top), last = this.row(box.bottom); r <= last; r++)
      count += this.starts[r * this.side + to + 1] - this.starts[r * this.side + from];
    return count;
  }

  /** Calls a function with the place of each word in the box. */
  eachIn(box: Box, call: (place: number) => void): void {
    const from = this.column(box.left), to = this.column(box.right);
    for (let r = this.row(box.top), last = this.row(box.bottom); r <= last; r++)
      for (let k = this.starts[r * this.side + from]; k < this.starts[r * this.side + to + 1]; k++) {
        const place = this.items[k], x = this.points[2 * place], y = this.points[2 * place + 1];
        if (x >= box.left && x <= box.right && y >= box.top && y <= box.bottom) call(place);
      }
  }

  /** The word nearest to a point, at most `radius` away; -1: none. */
  nearest(x: number, y: number, radius: number): number {
    let best = -1, least = radius * radius;
    this.eachIn({left: x - radius, right: x + radius, top: y - radius, bottom: y + radius}, (place) => {
      const dx = this.points[2 * place] - x, dy = this.points[2 * place + 1] - y, square = dx * dx + dy * dy;
      if (square < least || (square === least && place < best)) [best, least] = [place, square];
    });
    return best;
  }

  /** The words inside a polygon, most frequent first. */
  inside(polygon: Polygon): number[] {
    const xs = polygon.map((corner) => corner[0]), ys = polygon.map((corner) => corner[1]), found: number[] = [];
    this.eachIn({left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys)}, (place) => {
      const x = this.points[2 * place], y = this.points[2 * place + 1];
      let within = false;
      for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++)
        if (ys[i] > y !== ys[j] > y && x < ((xs[j] - xs[i]) * (y - ys[i])) / (ys[j] - ys[i]) + xs[i]) within = !within;
      if (within) found.push(place);
    });
    return found.sort((a, b) => a - b);
  }

  /** Where a word belongs that has no place: at the mean of its neighbours, of which those that are
   * almost as similar as the best count most. Null if none of them is on the map. */
  between(neighbours: {word: string; cosine: number}[]): {x: number; y: number} | null {
    let x = 0, y = 0, sum = 0, best = -1;
    for (const {word, cosine} of neighbours) {
      const place = this.find(word);
      if (place < 0) continue;
      if (best < 0) best = cosine;
      const weight = Math.exp(20 * (cosine - best));
      x += weight * this.points[2 * place];
      y += weight * this.points[2 * place + 1];
      sum += weight;
    }
    return sum > 0 ? {x: x / sum, y: y / sum} : null;
  }
}

const loaded = new Map<string, WordMap>();
const soon = new Map<string, Promise<MapState>>();

/** Asks for the state of a map early, so that the answer comes while the view is made. */
export function expectMap(model: string, signal: AbortSignal): void {
  if (loaded.has(model)) return;
  const asked = ask<MapState>("map", {model}, signal);
  asked.catch(() => {}); // loadMap reports it
  soon.set(model, asked);
}

/** Waits until the map of a model is made, and gets it. `report` is called with how far it is. */
export async function loadMap(model: string, signal: AbortSignal, report: (state: MapState) => void): Promise<WordMap> {
  let map = loaded.get(model);
  while (!map) {
    const asked = soon.get(model) ?? ask<MapState>("map", {model}, signal);
    soon.delete(model);
    const state = await asked;
    if (state.state === "none") throw new ApiError("There is no map: psdvec explore was started with --map-words 0.");
    if (state.state === "failed") throw new ApiError(`There is no map: ${state.message}`);
    if (state.state === "ready") loaded.set(model, map = new WordMap(await askBytes("map-points", {model}, signal)));
    else {
      report(state);
      await new Promise((resolve) => setTimeout(resolve, 400));
      signal.throwIfAborted();
    }
  }
  return map;
}
