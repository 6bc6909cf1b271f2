// Elements. Text is always inserted as text, never as markup, because words can contain anything.

export type Child = Node | string | number | null | undefined | false | Child[];
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: any) => void)>;

/** Makes an element: attributes, listeners ("onclick"), and children. */
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  add(element, children);
  return element;
}

export function add(parent: Node, child: Child): void {
  if (Array.isArray(child)) child.forEach((one) => add(parent, one));
  else if (child instanceof Node) parent.appendChild(child);
  else if (child !== null && child !== undefined && child !== false) parent.appendChild(document.createTextNode(String(child)));
}

/** A bar of this share (0 to 1) of its place. The policy of the page forbids style attributes in
 * markup, so its length is set as a property. */
export function bar(share: number, kind = ""): HTMLElement {
  const element = h("span", {class: `bar-line ${kind}`, "aria-hidden": "true"});
  element.style.setProperty("--share", String(Math.max(0, Math.min(1, share || 0))));
  return element;
}

/** The head of a table; null: a column without a name, such as bars. */
export function tableHead(...names: (string | null)[]): HTMLElement {
  return h("thead", {}, h("tr", {}, names.map((name) => (name === null ? h("td", {}) : h("th", {scope: "col"}, name)))));
}

/** A table that can be scrolled sideways, also with the keyboard. */
export function scrolled(label: string, table: HTMLElement): HTMLElement {
  return h("div", {class: "scroll", role: "region", "aria-label": label, tabindex: "0"}, table);
}

/** 28346 as 28,346. */
export function count(number: number): string {
  return number.toLocaleString("en-US");
}

/** Tells readers of the screen what has changed. */
export function announce(text: string): void {
  const status = document.getElementById("status");
  if (status) status.textContent = text;
}
