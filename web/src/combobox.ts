// A text field with completion over all words of a model, by the pattern of an ARIA combobox with a
// list: arrow keys choose, Enter and Tab take, Escape closes. The last word of the text is completed.

import {ask, Words} from "./api";
import {count, h} from "./dom";

const WAIT = 80; // milliseconds after the last key
let fields = 0;

export interface Combobox { element: HTMLElement; input: HTMLInputElement }

/** `model`: its name; `submit`: called with the text when it is entered; `whole`: the text is one word,
 * not a sum of words. */
export function combobox(label: string, value: string, model: () => string, submit: (text: string) => void,
                         whole = false): Combobox {
  const id = `field-${++fields}`;
  const list = h("ul", {id: `${id}-list`, role: "listbox", "aria-label": `Words for ${label}`, hidden: true});
  const input = h("input", {
    id, type: "text", role: "combobox", value, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    "aria-expanded": "false", "aria-controls": `${id}-list`, "aria-autocomplete": "list", enterkeyhint: "search",
  }) as HTMLInputElement;
  let timer = 0, chosen = -1, abort: AbortController | null = null;

  /** Where the last word starts. */
  const start = (): number => (whole ? 0 : /[^\s+:-]*$/.exec(input.value)!.index);

  function close(): void {
    clearTimeout(timer);
    abort?.abort();
    list.hidden = true;
    list.replaceChildren();
    chosen = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function choose(index: number): void {
    const items = Array.from(list.children);
    items.forEach((item, k) => item.setAttribute("aria-selected", String(k === index)));
    chosen = index;
    if (index >= 0) {
      input.setAttribute("aria-activedescendant", items[index].id);
      items[index].scrollIntoView({block: "nearest"});
    } else input.removeAttribute("aria-activedescendant");
  }

  function take(word: string): void {
    input.value = input.value.slice(0, start()) + word;
    close();
  }

  async function offer(): Promise<void> {
    const prefix = input.value.slice(start());
    if (!prefix) return close();
    abort?.abort();
    abort = new AbortController();
    try {
      const found = await ask<Words>("words", {prefix, top: 8, model: model()}, abort.signal);
      if (document.activeElement !== input || !found.words.length) return close();
      list.replaceChildren(...found.words.map((word, k) => h("li",
        {id: `${id}-${k}`, role: "option", "aria-selected": "false",
          onmousedown: (event: Event) => { event.preventDefault(); take(word.word); submit(input.value); }},
        h("span", {}, word.word), word.count !== undefined && h("small", {}, count(word.count)))));
      list.hidden = false;
      chosen = -1;
      input.setAttribute("aria-expanded", "true");
    } catch { /* completion is a convenience: the field works without it */ }
  }

  input.addEventListener("input", () => { clearTimeout(timer); timer = window.setTimeout(offer, WAIT); });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const length = list.children.length;
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && length) {
      event.preventDefault();
      choose(event.key === "ArrowDown" ? (chosen + 1) % length : chosen <= 0 ? length - 1 : chosen - 1);
    } else if (event.key === "ArrowDown") {
      offer();
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) {
      event.preventDefault();
      take(list.children[chosen].querySelector("span")!.textContent!);
      if (event.key === "Enter") submit(input.value);
    } else if (event.key === "Enter") {
      event.preventDefault();
      close();
      submit(input.value);
    }
  });
  const element = h("div", {class: "field"}, h("label", {for: id}, label), h("div", {class: "combo"}, input, list));
  return {element, input};
}
