// The explorer without a server (psdvec explore --export): answers to the requests of the page from
// files beside it. docs/reference/http-api.md describes the files.
//
// Data files are scripts, because browsers fetch nothing for a page that was opened from a disk.

import type {Analogy, Answer, Models, ModelInfo, Neighbour, Similar, Words} from "./api";

interface Part extends ModelInfo { map: boolean; near: number; top: number; rows: number }
type Parameters = Record<string, string | number | boolean | string[] | undefined>;

const NO_WORD = 0xffffffff;
const NEEDS_SERVER = "This needs the program: start psdvec explore with the model. This copy of the page consists of files only.";

// ---- Files

const waiting = new Map<string, (text: string) => void>();
const parts = new Map<string, Promise<ArrayBuffer>>();

async function unpack(text: string): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** Loads a file once. */
function part(name: string): Promise<ArrayBuffer> {
  let loaded = parts.get(name);
  if (!loaded) {
    parts.set(name, loaded = new Promise<string>((resolve, reject) => {
      const script = document.createElement("script");
      waiting.set(name, resolve);
      script.src = `psdvec-${name}.js`;
      script.onerror = () => { parts.delete(name); reject(new Error(`The file psdvec-${name}.js is missing.`)); };
      script.onload = () => script.remove();
      document.head.append(script);
    }).then(unpack));
  }
  return loaded;
}

// ---- Models

/** The words, neighbours and vectors of a model. */
class StaticModel {
  readonly words: string[];
  readonly counts: (number | undefined)[];
  private readonly index: Map<string, number>;
  private vectors: Promise<{units: Float32Array; bytes: Int8Array; stride: number}> | null = null;

  constructor(readonly info: Part, readonly number: number, data: ArrayBuffer) {
    const n = info.words, halves = info.has_frequencies ? new Uint32Array(data, 0, 2 * n) : null;
    this.words = new TextDecoder().decode(new Uint8Array(data, halves ? 8 * n : 0)).split("\n");
    this.words.pop();
    this.counts = this.words.map((_, k) => (halves ? halves[2 * k] + 4294967296 * halves[2 * k + 1] : undefined));
    this.index = new Map(this.words.map((word, k) => [word, k]));
  }

  find(word: string): number {
    const found = this.index.get(word) ?? this.index.get(word.toLowerCase());
    if (found === undefined)
      throw new Error(`'${word}' is not among the ${this.info.words.toLocaleString("en-US")} words of this page. psdvec explore also knows rarer words, and unseen ones by their spelling.`);
    return found;
  }

  named(word: number, cosine: number): Neighbour {
    const count = this.counts[word];
    return count === undefined ? {word: this.words[word], cosine} : {word: this.words[word], cosine, count};
  }

  async neighbours(word: number, top: number): Promise<Neighbour[]> {
    const {near, words, top: most} = this.info, file = Math.floor(word / near), data = await part(`near-${this.number}-${file}`);
    const bytes = 6 * most, view = new DataView(data, (word - file * near) * bytes, bytes), list: Neighbour[] = [];
    for (let k = 0; k < Math.min(top, most); k++) {
      const other = view.getUint32(4 * k, true);
      if (other === NO_WORD || other >= words) break;
      list.push(this.named(other, view.getInt16(4 * most + 2 * k, true) / 32767));
    }
    return list;
  }

  /** All vectors: a row has its unit as float32, then its components in bytes. */
  private load() {
    return (this.vectors ??= (async () => {
      const {words, dim, rows} = this.info, stride = 4 + 4 * Math.ceil(dim / 4), all = new Int8Array(words * stride);
      const files = await Promise.all(Array.from({length: Math.ceil(words / rows)}, (_, k) => part(`vectors-${this.number}-${k}`)));
      files.forEach((file, k) => { all.set(new Int8Array(file), k * rows * stride); parts.delete(`vectors-${this.number}-${k}`); });
      return {units: new Float32Array(all.buffer), bytes: all, stride};
    })());
  }

  /** The vector of a word at length 1. */
  async vector(word: number): Promise<Float32Array> {
    const {units, bytes, stride} = await this.load(), {dim} = this.info, at = word * stride, result = new Float32Array(dim);
    let square = 0;
    for (let k = 0; k < dim; k++) square += (result[k] = bytes[at + 4 + k] * units[at / 4]) ** 2;
    for (let k = 0; k < dim && square; k++) result[k] /= Math.sqrt(square);
    return result;
  }

  /** The cosines of a vector with all words. */
  async cosines(vector: Float32Array): Promise<Float32Array> {
    const {bytes, stride} = await this.load(), {words, dim} = this.info, result = new Float32Array(words);
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
    for (let w = 0; w < words; w++) {
      let sum = 0, square = 0;
      for (let k = 0, at = w * stride + 4; k < dim; k++, at++) {
        sum += bytes[at] * vector[k];
        square += bytes[at] * bytes[at];
      }
      result[w] = square ? sum / (Math.sqrt(square) * length) : 0;
    }
    return result;
  }

  /** The words with the highest scores, without those given. */
  best(scores: Float32Array, top: number, except: number[]): [number, number][] {
    const left = new Set(except), list: [number, number][] = [];
    let least = -Infinity;
    for (let w = 0; w < scores.length; w++) {
      if (scores[w] <= least || left.has(w)) continue;
      let at = list.length;
      while (at > 0 && list[at - 1][1] < scores[w]) at--;
      list.splice(at, 0, [w, scores[w]]);
      if (list.length > top) list.pop();
      if (list.length === top) least = list[top - 1][1];
    }
    return list;
  }
}

let models: Promise<Models & {models: Part[]}> | null = null;
const open = new Map<string, Promise<StaticModel>>();

function listModels(): Promise<Models & {models: Part[]}> {
  return (models ??= part("models").then((data) => JSON.parse(new TextDecoder().decode(data))));
}

async function modelOf(name: unknown): Promise<StaticModel> {
  const {models: list} = await listModels(), number = Math.max(0, list.findIndex((one) => one.name === name)), info = list[number];
  let model = open.get(info.name);
  if (!model) open.set(info.name, model = part(`words-${number}`).then((data) => new StaticModel(info, number, data)));
  return model;
}

// ---- Answers, in the form of those of the server

const texts = (value: unknown): string[] => (Array.isArray(value) ? value : value === undefined ? [] : [String(value)]);

async function similar(model: StaticModel, plus: string[], minus: string[], top: number): Promise<Similar> {
  const added = plus.map((word) => model.find(word)), taken = minus.map((word) => model.find(word));
  const answer = {words: plus, minus, forms_left_out: [], spelled: []};
  if (added.length === 1 && !taken.length && top <= model.info.top) return {...answer, similar: await model.neighbours(added[0], top)};
  const sum = new Float32Array(model.info.dim);
  for (const [list, sign] of [[added, 1], [taken, -1]] as const)
    for (const word of list) (await model.vector(word)).forEach((value, k) => { sum[k] += sign * value; });
  const found = model.best(await model.cosines(sum), top, [...added, ...taken]);
  return {...answer, similar: found.map(([word, cosine]) => model.named(word, cosine))};
}

/** 3CosAdd and 3CosMul (Levy and Goldberg 2014), with 1 + cosine in the second. */
async function analogy(model: StaticModel, words: string[], top: number): Promise<Analogy> {
  const numbers = words.map((word) => model.find(word));
  const [a, b, c] = await Promise.all(numbers.map(async (word) => model.cosines(await model.vector(word))));
  const name = ([word, score]: [number, number]): Answer => { const {cosine: _, ...rest} = model.named(word, 0); return {...rest, score}; };
  return {a: words[0], b: words[1], c: words[2], spelled: [],
    add: model.best(b.map((value, k) => value - a[k] + c[k]), top, numbers).map(name),
    mul: model.best(b.map((value, k) => ((1 + value) * (1 + c[k])) / (1 + a[k] + 0.001)), top, numbers).map(name)};
}

async function compare(model: StaticModel, a: string, b: string): Promise<object> {
  const [x, y] = await Promise.all([model.vector(model.find(a)), model.vector(model.find(b))]);
  return {a, b, cosine: x.reduce((sum, value, k) => sum + value * y[k], 0), counts: null};
}

function complete(model: StaticModel, prefix: string, top: number): Words {
  const starts = (text: string) => model.words.flatMap((word, k) => (word.startsWith(text) ? [k] : []));
  let found = starts(prefix);
  if (!found.length) found = starts(prefix.toLowerCase());
  return {prefix, total: found.length, words: found.slice(0, top).map((k) => ({word: model.words[k], ...(model.counts[k] === undefined ? {} : {count: model.counts[k]!})}))};
}

/** Answers a request. */
export async function answer(route: string, parameters: Parameters): Promise<unknown> {
  if (route === "models") return listModels();
  if (!["map", "similar", "analogy", "compare", "words"].includes(route)) throw new Error(NEEDS_SERVER);
  const model = await modelOf(parameters.model), top = Number(parameters.top ?? 10);
  if (route === "map") return {state: model.info.map ? "ready" : "none"};
  if (route === "similar") return similar(model, texts(parameters.positive), texts(parameters.negative), top);
  if (route === "analogy") return analogy(model, ["a", "b", "c"].map((name) => String(parameters[name])), top);
  if (route === "compare") return compare(model, String(parameters.a), String(parameters.b));
  return complete(model, String(parameters.prefix ?? ""), top);
}

export async function answerBytes(route: string, parameters: Parameters): Promise<ArrayBuffer> {
  if (route !== "map-points") throw new Error(NEEDS_SERVER);
  return part(`map-${(await modelOf(parameters.model)).number}`);
}

/** Whether this page is a copy without a server. */
export const isStatic = document.querySelector('meta[name="psdvec-export"]') !== null;

if (isStatic) Object.assign(window, {psdvecPart: (name: string, text: string) => { waiting.get(name)?.(text); waiting.delete(name); }});
