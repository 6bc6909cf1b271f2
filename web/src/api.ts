// Requests to the server that sent this page: docs/reference/http-api.md. Without a server, files
// beside the page answer them.

import {answer, answerBytes, isStatic} from "./static";

export interface ModelInfo {
  name: string; words: number; dim: number; method: string | null; sparse: boolean;
  has_frequencies: boolean; has_spelling: boolean; counts: boolean;
}
export interface TopicsInfo { name: string; topics: number; documents: number; words: number }
export interface Models { version: string; models: ModelInfo[]; sets: string[]; builtin_sets: string[]; topics: TopicsInfo[] }
export interface Neighbour { word: string; cosine: number; count?: number; spread?: number }
export interface RankedWord { word: string; rank: number; count?: number }
export interface WordFacts extends RankedWord { form?: string; words: number; spread?: number; spread_above?: number; around: RankedWord[] }
export interface Similar {
  words: string[]; minus: string[]; similar: Neighbour[]; forms_left_out: string[]; spelled: string[];
  combined?: string[]; did_you_mean?: string;
}
export interface Answer { word: string; score: number; count?: number }
export interface Analogy { a: string; b: string; c: string; add: Answer[]; mul: Answer[]; spelled: string[] }
export interface SharedContext { word: string; product_a: number; product_b: number; seen_a?: number; seen_b?: number }
export interface Comparison {
  a: string; b: string; cosine: number; product?: number; contexts?: SharedContext[];
  counts: {count_ab: number; count_ba: number; target: number; residual: number} | null;
}
export interface Association { word: string; count: number; lift: number; score: number }
export interface Contexts { word: string; count: number; before: Association[]; after: Association[] }
export interface Words { prefix: string; total: number; words: {word: string; count?: number}[] }
export interface ScoredWord { word: string; known: boolean; log_probability?: number; log_unigram?: number; surprising?: boolean }
export interface Score {
  documents: {per_word?: ScoredWord[]}[];
  total: {words: number; known: number; perplexity: number | null; perplexity_unigram: number | null};
}
export interface Next { context: string[]; unknown: string[]; next: {word: string; probability: number; lift?: number}[] }

export interface Topics { documents_count: number; topics: {topic: number; share: number; class?: string | null; words: string}[] }
export interface TopicDocument { document: number; share?: number; source: string; beginning: string; label?: string; date?: string; name?: string }
export interface Topic {
  topic: number; share: number; class?: string; words: {word: string; probability: number; lift: number}[];
  documents?: (TopicDocument & {share: number})[];
}
export interface Mixture { words: number; known: number; shares: number[] }
export interface SetScore {
  set: string; section: string | null; measure: string; score: number | null; low: number | null; high: number | null;
  known: number; total: number;
}
export interface Mistake {
  set: string; section: string | null; question: string; expected: string | null; answer: string | null;
  expected_rank: number | null; answer_rank: number | null; loss: number;
}
export interface Evaluation { sets: {name: string; kind: string}[]; scores: SetScore[]; mistakes?: Mistake[] }

type Parameters = Record<string, string | number | boolean | string[] | undefined>;

/** An error that the server reported, with its message. */
export class ApiError extends Error {}

async function send(route: string, parameters: Parameters, signal?: AbortSignal, text?: string): Promise<Response> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) query.append(name, String(one));
  // The server needs the header where browsers do not say which page sends a request.
  const headers: Record<string, string> = {"X-Psdvec-Page": "1"};
  const options: RequestInit = {signal: signal ?? null, headers};
  if (text !== undefined) {
    headers["Content-Type"] = "text/plain";
    Object.assign(options, {method: "POST", body: text});
  }
  try {
    return await fetch(`api/v1/${route}?${query}`, options);
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new ApiError("The server does not answer. Is psdvec explore still running?");
  }
}

/** An answer of static.ts, with the errors of a server. */
async function local<T>(answered: Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    const found = await answered;
    signal?.throwIfAborted();
    return found;
  } catch (error) {
    throw (error as Error).name === "AbortError" ? error : new ApiError((error as Error).message);
  }
}

/** Sends a request; `text` is the body of a POST. Throws ApiError, or an AbortError if `signal` fires. */
export async function ask<T>(route: string, parameters: Parameters, signal?: AbortSignal, text?: string): Promise<T> {
  if (isStatic) return local(answer(route, parameters), signal) as Promise<T>;
  const response = await send(route, parameters, signal, text);
  const body = await response.json().catch(() => null);
  if (!response.ok || body === null) throw new ApiError(body?.error?.message ?? `The server answered with status ${response.status}.`);
  return body as T;
}

/** The same for an answer of bytes. */
export async function askBytes(route: string, parameters: Parameters, signal?: AbortSignal): Promise<ArrayBuffer> {
  if (isStatic) return local(answerBytes(route, parameters), signal);
  const response = await send(route, parameters, signal);
  if (response.ok) return response.arrayBuffer();
  const body = await response.json().catch(() => null);
  throw new ApiError(body?.error?.message ?? `The server answered with status ${response.status}.`);
}
