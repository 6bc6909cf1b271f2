// The script of the site: search, the menu of narrow screens, and buttons that copy code. Without
// it the pages are complete; only search is missing.
"use strict";

const root = document.documentElement.dataset.root;
document.documentElement.classList.add("script");

// ---- Search ------------------------------------------------------------------------------------------
// searchIndex, loaded when it is first needed, has a row per section: address, anchor, page, heading, text.

let searchIndex = null, sections = null;
const query = document.getElementById("site-query"), results = document.getElementById("site-results");

function loadIndex(then) {
  if (sections) return then();
  const script = document.createElement("script");
  script.src = root + "search-index.js";
  script.onload = () => {
    sections = searchIndex.map(([address, anchor, page, heading, text]) =>
      ({address, anchor, page, heading, text, title: (page + " " + heading).toLowerCase(), lower: text.toLowerCase()}));
    then();
  };
  document.head.append(script);
}

// How well a term matches a text: 0 not at all, 1 within a word, 2 at the start of a word, 3 a
// complete word, and up to 1 more for further occurrences.
function match(text, term) {
  let best = 0, times = 0;
  for (let at = text.indexOf(term); at >= 0 && times < 10; at = text.indexOf(term, at + 1)) {
    const letter = /[\p{L}\p{N}_]/u, before = text[at - 1], after = text[at + term.length];
    const starts = !before || !letter.test(before), ends = !after || !letter.test(after);
    best = Math.max(best, starts && ends ? 3 : starts ? 2 : 1);
    times++;
  }
  return best && best + times / 10;
}

// Sections that have all terms, best first; if there are none, those that have any of them.
function search(text) {
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (const section of sections) {
    let score = 0, known = 0;
    for (const term of terms) {
      const inTitle = match(section.title, term.replace(/^-+(?=.)/, "")), inText = match(section.lower, term);
      if (inTitle || inText) known++;
      score += 4 * inTitle + inText;
    }
    if (section.title.endsWith(terms.join(" "))) score += 8;
    if (known) found.push({section, score, known});
  }
  const most = found.some((hit) => hit.known === terms.length) ? terms.length : 1;
  return {terms, hits: found.filter((hit) => hit.known >= most)
    .sort((a, b) => b.known - a.known || b.score - a.score).slice(0, 20)};
}

// The text around the first term, with all terms marked.
function excerpt(section, terms) {
  const places = terms.map((term) => section.lower.indexOf(term)).filter((at) => at >= 0);
  const near = places.length ? Math.max(0, Math.min(...places) - 60) : 0;
  const from = near ? section.text.indexOf(" ", near) + 1 : 0;
  const text = section.text.slice(from, from + 180), lower = text.toLowerCase(), line = document.createElement("span");
  if (from) line.append("… ");
  let at = 0;
  while (at < text.length) {
    const next = terms.map((term) => [lower.indexOf(term, at), term.length]).filter(([place]) => place >= 0)
      .sort((a, b) => a[0] - b[0] || b[1] - a[1])[0];
    if (!next) break;
    const mark = document.createElement("mark");
    mark.textContent = text.slice(next[0], next[0] + next[1]);
    line.append(text.slice(at, next[0]), mark);
    at = next[0] + next[1];
  }
  line.append(text.slice(at), from + 180 < section.text.length ? " …" : "");
  return line;
}

function show() {
  const text = query.value.trim();
  results.hidden = !text;
  if (!text) return;
  loadIndex(() => {
    const {terms, hits} = search(text);
    results.replaceChildren(...hits.map(({section}) => {
      const entry = document.createElement("a"), name = document.createElement("b");
      entry.href = root + section.address + (section.anchor ? "#" + section.anchor : "");
      name.textContent = section.page === section.heading ? section.page : section.page + " › " + section.heading;
      entry.append(name, excerpt(section, terms));
      return entry;
    }));
    if (!hits.length) {
      const none = document.createElement("p");
      none.textContent = "No page has " + terms.join(" or ") + ".";
      results.append(none);
    }
  });
}

document.querySelector("search").hidden = false;
query.addEventListener("input", show);
query.addEventListener("focus", show);
document.addEventListener("click", (event) => {
  if (!event.target.closest("search") || event.target.closest("#site-results a")) results.hidden = true;
});
document.addEventListener("keydown", (event) => {
  const links = Array.from(results.querySelectorAll("a")), at = links.indexOf(document.activeElement);
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && document.activeElement !== query) query.focus();
  else if (event.key === "Escape" && !results.hidden) results.hidden = true;
  else if (results.hidden || !event.target.closest("search")) return;
  else if (event.key === "ArrowDown" && links.length) links[Math.min(at + 1, links.length - 1)].focus();
  else if (event.key === "ArrowUp") (at > 0 ? links[at - 1] : query).focus();
  else if (event.key === "Enter" && document.activeElement === query && links.length) links[0].click();
  else return;
  event.preventDefault();
});
// page.html?q=words opens the page with the results of a search.
const asked = new URLSearchParams(location.search).get("q");
if (asked) {
  query.value = asked;
  show();
}

// ---- Menu --------------------------------------------------------------------------------------------

const menu = document.getElementById("site-menu"), navigation = document.getElementById("site-navigation");
menu.hidden = false;
menu.addEventListener("click", () => {
  menu.setAttribute("aria-expanded", navigation.classList.toggle("open"));
  if (navigation.classList.contains("open")) window.scrollTo(0, 0);
});
// The current page is visible in a long navigation.
const current = navigation.querySelector("[aria-current]");
if (current) navigation.scrollTop = Math.max(0, current.offsetTop - navigation.clientHeight / 2);

// ---- Code --------------------------------------------------------------------------------------------

// Copies only the commands of a console session, without their prompts.
function commands(code) {
  const lines = code.textContent.split("\n");
  if (!code.classList.contains("language-console")) return code.textContent;
  return lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2) + "\n").join("");
}
if (navigator.clipboard) {
  for (const code of document.querySelectorAll("pre > code[class^=language]")) {
    const frame = document.createElement("div"), button = document.createElement("button");
    frame.className = "code";
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => navigator.clipboard.writeText(commands(code)).then(
      () => { button.textContent = "Copied"; }, () => { button.textContent = "Not copied"; }));
    code.parentElement.replaceWith(frame);
    frame.append(code.parentElement, button);
  }
}
