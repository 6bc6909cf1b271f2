// The state of the page is the part of the address after #, so every state has a link and the back
// button works.

export interface State {
  view: string;
  plus: string[];  // words that are added
  minus: string[]; // and subtracted
  words: string[]; // of a comparison or an analogy, in order
  text: string;
  model: string;   // "": the first
  topics: string;  // a topics file; "": the first
  topic: string;   // the number of a topic
  document: string; // and of a document of it
  sets: string[];  // test sets
  at: string;      // of the map: x, y and magnification of its middle
  area: string;    // of the map: the corners of a selection
  colour: string;  // of the map
}

export function read(): State {
  const fields = new URLSearchParams(location.hash.slice(1));
  return {view: fields.get("view") || "words", plus: fields.getAll("q"), minus: fields.getAll("minus"),
    words: fields.getAll("w"), text: fields.get("text") ?? "", model: fields.get("model") ?? "",
    topics: fields.get("topics") ?? "", topic: fields.get("topic") ?? "", document: fields.get("document") ?? "", sets: fields.getAll("set"),
    at: fields.get("at") ?? "", area: fields.get("area") ?? "", colour: fields.get("colour") ?? ""};
}

/** The link to a state; members that are not given are empty. */
export function link(state: Partial<State>): string {
  const fields = new URLSearchParams({view: state.view ?? "words"});
  for (const word of state.plus ?? []) fields.append("q", word);
  for (const word of state.minus ?? []) fields.append("minus", word);
  for (const word of state.words ?? []) fields.append("w", word);
  for (const set of state.sets ?? []) fields.append("set", set);
  for (const name of ["topic", "document", "text", "topics", "model", "at", "area", "colour"] as const)
    if (state[name]) fields.set(name, state[name]);
  return `#${fields}`;
}

export function go(state: Partial<State>): void {
  location.hash = link(state);
}

/** What a person types: "king - man + woman", "man : king :: woman", or words. */
export function parse(text: string, model: string): Partial<State> | null {
  const analogy = text.split(/::?/).map((part) => part.trim());
  if (text.includes(":") && analogy.length === 3 && analogy.every(Boolean)) return {view: "analogy", words: analogy, model};
  const plus: string[] = [], minus: string[] = [];
  // A sign separates words if a space is before it, so that "well-known" is one word.
  for (const part of ` ${text.trim()}`.split(/\s(?=[+-])/)) {
    const word = part.replace(/^\s*[+-]?\s*/, "").trim();
    if (word) (/^\s*-/.test(part) ? minus : plus).push(word);
  }
  return plus.length || minus.length ? {view: "words", plus, minus, model} : null;
}

export function expression(state: State): string {
  return state.plus.map((word, k) => (k ? `+ ${word}` : word)).concat(state.minus.map((word) => `- ${word}`)).join(" ");
}
