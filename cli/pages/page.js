// Components shared by all pages. A page fills the slots of its <template> with the results of
// these functions:
//
//   showPage({title: "...", scores: table({...}), chart: barChart({...})});
//
// No function here depends on the command that wrote the data.
"use strict";

// ---- Markup ---------------------------------------------------------------------------------

class Markup {
  constructor(text) { this.text = text; }
}

// html`<b>${word}</b>`: inserted values become text, whatever they contain, unless they are markup
// themselves. Lists are joined; null, undefined and false insert nothing. Attribute values need
// double quotes.
function html(parts, ...values) {
  return new Markup(parts.reduce((text, part, k) => text + markupOf(values[k - 1]) + part));
}

function markupOf(value) {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(markupOf).join("");
  if (value === null || value === undefined || value === false) return "";
  const entities = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"};
  return String(value).replace(/[&<>"']/g, (sign) => entities[sign]);
}

function join(items, separator) {
  return items.map((item, k) => (k ? [separator, item] : item));
}

let idCount = 0;
const newId = () => `id-${++idCount}`;

// ---- The page -------------------------------------------------------------------------------

// The data of this page: the JSON that the command writes, or the sample of a template that is
// opened directly. Integers that a double cannot represent are kept as text.
function pageData() {
  const element = document.getElementById("data");
  if (!element) return window.sample;
  return JSON.parse(element.textContent, (key, value, context) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) && context ? context.source : value);
}

// Replaces the plain text by the page's template, and each <slot name="x"> in it by slots.x; an
// element with data-if="x" is omitted if there is no slots.x.
function showPage(slots) {
  const page = document.querySelector("template").content.cloneNode(true);
  for (const part of page.querySelectorAll("[data-if]")) if (!slots[part.dataset.if]) part.remove();
  for (const slot of page.querySelectorAll("slot")) {
    const content = document.createElement("template");
    content.innerHTML = markupOf(slots[slot.name]);
    slot.replaceWith(content.content);
  }
  document.querySelector("main").replaceChildren(page);
}

// ---- Figures --------------------------------------------------------------------------------

const known = (value) => typeof value === "number" && Number.isFinite(value);
const count = (value) => Math.round(value).toLocaleString("en-US");
// Rounds like printf, and therefore like the text formats of the same results: ties, which only
// sums of powers of two can be, round to even.
function fixed(value, digits) {
  const tie = Number.isInteger(value * 2 ** 20) && (Math.abs(value) * 10 ** digits) % 2 === 0.5;
  return (tie ? value - Math.sign(value) * 2 ** -20 : value).toFixed(digits);
}
const threeDigits = (value) => fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
// .742, as papers print scores; a true minus sign.
function score(value) {
  if (!known(value)) return "–";
  const digits = fixed(Math.abs(value), 3).replace(/^0/, "");
  return (value < 0 && digits !== ".000" ? "−" : "") + digits;
}
function signed(value, digits = 2) {
  const text = fixed(Math.abs(value), digits);
  return (Number(text) === 0 ? "" : value < 0 ? "−" : "+") + text;
}
function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  for (; value >= 999.5 && unit + 1 < units.length; unit++) value /= 1024;
  return `${unit ? threeDigits(value) : fixed(value, 0)} ${units[unit]}`;
}
function seconds(value) {
  if (value < 0.0995) return `${fixed(value * 1000, 0)} ms`;
  if (value < 99.95) return `${fixed(value, value < 9.95 ? 2 : 1)} s`;
  const whole = Math.round(value), two = (n) => String(n).padStart(2, "0");
  return `${whole >= 3600 ? `${Math.floor(whole / 3600)} h ` : ""}${Math.floor(whole / 60) % 60
  } min ${two(whole % 60)} s`;
}
// 38%; 100% only if nothing is missing, and 0% only if everything is.
function percent(part, whole) {
  const value = whole ? (100 * part) / whole : 0;
  return part && value < 1 ? "<1%" : `${Math.floor(value)}%`;
}

// ---- Small parts ----------------------------------------------------------------------------

// The figures that summarise a page: [[value, label], ...].
const facts = (pairs) => html`<dl class="facts">${pairs.map(
  ([value, label]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;

const notes = (texts) => html`<div class="notes">${texts.map((text) => html`<p>${text}</p>`)}</div>`;

// [[term, description], ...].
const definitions = (pairs, style = "") => html`<dl class="definitions ${style}">${pairs.map(
  ([term, text]) => html`<dt>${term}</dt><dd>${text}</dd>`)}</dl>`;

// A signed number in the colour of its direction.
const direction = (value) =>
  html`<span class="${value >= 0.005 ? "plus" : value <= -0.005 ? "minus" : ""}">${signed(value)}</span>`;

// ---- Tables ---------------------------------------------------------------------------------

// table({caption, columns, rows, groups, foot, style}):
//   caption  description for screen readers
//   columns  {head, text, sort, title}; text: a column of words; sort: "up" or "down", the direction
//            of the first click on the head; title: the tooltip of a sortable head
//   groups   a row above the heads: {head, span}
//   rows, foot  lists of cells, of which the first names the row. A cell is a text, or {text, note,
//            value, style, span}; note: a smaller line below; value: the sort key
function table({caption, columns, rows, groups, foot, style = ""}) {
  const head = (column, k) => html`<th scope="col" class="${column.text ? "text" : ""}"${
    column.sort && html` aria-sort="none"`}${groups && k === 0 && html` rowspan="2"`}>${
    column.sort
      ? html`<button type="button" data-sort="${column.sort}" title="${column.title}">${column.head}</button>`
      : column.head}</th>`;
  const row = (cells) => html`<tr>${cells.map((cell, k) => bodyCell(cell, k, columns[k]))}</tr>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="${style}">
    <caption class="unseen">${caption}</caption>
    <thead>${groups && html`<tr>${head(columns[0], 0)}${groups.map((group) =>
      html`<th scope="colgroup" colspan="${group.span}"><span>${group.head}</span></th>`)}</tr>`}
    <tr>${columns.map((column, k) => !(groups && k === 0) && head(column, k))}</tr></thead>
    <tbody>${rows.map(row)}</tbody>${foot && html`<tfoot>${foot.map(row)}</tfoot>`}</table></div>`;
}

function bodyCell(cell, k, column = {}) {
  const {text, note, value, style = "", span} =
    cell && Object.getPrototypeOf(cell) === Object.prototype ? cell : {text: cell};
  const attributes = html`class="${column.text ? "text " : ""}${style}"${
    (known(value) || typeof value === "string") && html` data-value="${value}"`}${span && html` colspan="${span}"`}`;
  const content = html`${text}${note && html`<small>${note}</small>`}`;
  return k ? html`<td ${attributes}>${content}</td>` : html`<th scope="row" ${attributes}>${content}</th>`;
}

// First in the direction of the column, then in the other, then in the order of the page.
function sortTable(button) {
  const head = button.closest("th"), body = head.closest("table").tBodies[0];
  const rows = Array.from(body.rows);
  rows.forEach((row, k) => { row.dataset.place = row.dataset.place || k; });
  const first = button.dataset.sort === "up" ? "ascending" : "descending";
  const second = first === "ascending" ? "descending" : "ascending";
  const order = {none: first, [first]: second, [second]: "none"}[head.getAttribute("aria-sort")];
  const heads = head.closest("thead").querySelectorAll("th:not([scope=colgroup])");
  const column = Array.from(heads).indexOf(head);
  const place = (row) => Number(row.dataset.place);
  const compare = (a, b) => {
    const [x, y] = [a, b].map((row) => row.cells[column] && row.cells[column].dataset.value);
    if (order === "none" || x === y) return place(a) - place(b);
    if (x === undefined || y === undefined) return x === undefined ? 1 : -1; // missing values last
    const sign = order === "ascending" ? 1 : -1;
    const difference = isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;
    return sign * difference || place(a) - place(b);
  };
  heads.forEach((other) => other.hasAttribute("aria-sort") && other.setAttribute("aria-sort", "none"));
  head.setAttribute("aria-sort", order);
  body.append(...rows.sort(compare));
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-sort]");
  if (button) sortTable(button);
});

// ---- Bar charts -----------------------------------------------------------------------------

// barChart({title, caption, rows, ticks}): horizontal bars, from 0 to the right or, if negative, to
// the left. Rows: {label, bars}. Bars, several of which are below each other: {value, text, low,
// high, before, style, description}; `low` and `high` are the ends of whiskers; `before` is a
// lighter part that the bar continues; `style` is "best", "alike" or "other"; a bar without a value
// has only its text. `ticks` formats the marks of the axis; without it there is none.
function barChart({title, caption, rows, ticks}) {
  const bars = rows.flatMap((row) => row.bars).filter((bar) => known(bar.value));
  const ends = bars.flatMap((bar) => [(bar.before || 0) + bar.value, bar.low, bar.high]).filter(known);
  const lowest = Math.min(0, ...ends), most = Math.max(0, ...ends);
  // Bars below 0 end before a mark of the axis, not at the edge of the chart.
  const step = stepBetween(lowest, most), least = Math.floor(lowest / step + 1e-9) * step;
  const marks = ticks ? marksBetween(least, most, step) : [];
  const across = (value) => (most > least ? (100 * (value - least)) / (most - least) : 0);
  const at = (value) => `${across(value).toFixed(2)}%`;
  const id = newId();
  const says = rows.flatMap((row) => row.bars.filter((bar) => known(bar.value))
    .map((bar) => `${row.label} ${bar.description || bar.text}`));
  const axis = html`<svg class="axis" style="grid-row: 1 / span ${rows.length}">${marks.map((mark) =>
    html`<line class="${mark === 0 && "zero"}" x1="${at(mark)}" x2="${at(mark)}" y1="0" y2="100%"/>`)}</svg>
    <svg class="marks">${marks.map((mark) => html`<text x="${at(mark)}" y="12">${ticks(mark)}</text>`)}</svg>`;
  return html`<figure>
    <figcaption id="${id}-title">${title} <span>${caption}</span></figcaption>
    <div class="chart" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-description">
    ${ticks && axis}${rows.map((row, k) => chartRow(row, k + 1, at))}</div>
    <p class="unseen" id="${id}-description">${says.join("; ")}</p></figure>`;
}

function chartRow({label, bars}, place, at) {
  const thickness = bars.length > 1 ? 9 : 12, pitch = thickness + 3;
  const draw = ({value, low, high, before = 0, style = "other"}, k) => {
    const y = k * pitch + 1.5, middle = y + thickness / 2, end = before + value;
    const bar = (from, to, kind) => html`<line class="${kind}" x1="${at(from)}" x2="${at(to)}"
      y1="${middle}" y2="${middle}" stroke-width="${thickness}"/>`;
    const whisker = (x1, x2, half) => html`<line class="whisker" x1="${at(x1)}" x2="${at(x2)}"
      y1="${middle - half}" y2="${middle + half}"/>`;
    return [known(value) && before > 0 && bar(0, before, "before"), known(value) && bar(before, end, style),
      known(low) && known(high) && [whisker(low, high, 0), whisker(low, low, 3), whisker(high, high, 3)]];
  };
  return html`<span class="label" style="grid-row: ${place}" title="${label}">${label}</span>
    <svg class="bars" style="grid-row: ${place}" height="${bars.length * pitch}">${bars.map(draw)}</svg>
    <span class="values ${bars.length > 1 ? "several" : ""}" style="grid-row: ${place}">${
      bars.map((bar) => html`<span>${bar.text}</span>`)}</span>`;
}

// A bar within a line of text, from the middle to the left or right; `largest` fills a half.
function inlineBar(value, largest) {
  const end = largest > 0 ? 50 + (50 * value) / largest : 50;
  return html`<svg class="inline-bar" aria-hidden="true"><line class="${value < 0 ? "minus" : "plus"}" x1="50%" x2="${
    fixed(end, 1)}%" y1="50%" y2="50%" stroke-width="8"/><line class="zero" x1="50%" x2="50%" y1="0" y2="100%"/></svg>`;
}

// The distance between marks on an axis: 1, 2 or 5 times a power of ten.
function stepBetween(least, most) {
  const rough = (most - least) / 4.5 || 1, power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
}

function marksBetween(least, most, step) {
  const from = Math.ceil(least / step - 1e-9), to = Math.floor(most / step + 1e-9);
  return Array.from({length: to - from + 1}, (_, k) => (from + k) * step);
}

// ---- Line charts ----------------------------------------------------------------------------

// lineChart({title, caption, points, ticks, least}): a line through points {label, value, text} at
// equal distances; a point without a value is a gap, and a point between two gaps a dot. `ticks` formats the values at the axis; `least`
// is the lower end of the axis, by default the smallest value.
function lineChart({title, caption, points, ticks, least}) {
  const values = points.map((point) => point.value).filter(known);
  const low = known(least) ? least : Math.min(...values), high = Math.max(...values, low);
  const across = (k) => (points.length > 1 ? (100 * k) / (points.length - 1) : 50).toFixed(2);
  const up = (value) => (high > low ? 100 - (100 * (value - low)) / (high - low) : 50).toFixed(2);
  const has = (k) => k >= 0 && k < points.length && known(points[k].value);
  const place = (k) => `${across(k)} ${up(points[k].value)}`;
  const path = points.map((_, k) => has(k) ? `${has(k - 1) ? "L" : "M"}${place(k)}` : "").join("");
  const dots = points.map((_, k) => has(k) && !has(k - 1) && !has(k + 1) ? `M${place(k)}h.01` : "").join("");
  const id = newId();
  const says = points.filter(({value}) => known(value)).map(({label, text}) => `${label} ${text}`);
  return html`<figure>
    <figcaption id="${id}-title">${title} <span>${caption}</span></figcaption>
    <div class="line" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-description">
    <span class="high">${ticks(high)}</span><span class="low">${ticks(low)}</span>
    <svg viewBox="0 0 100 100" preserveAspectRatio="none"><path vector-effect="non-scaling-stroke" d="${path}"/>
    ${dots && html`<path class="dots" vector-effect="non-scaling-stroke" d="${dots}"/>`}</svg>
    <span class="from">${points[0].label}</span>${points.length > 1 && html`<span class="to">${
      points[points.length - 1].label}</span>`}</div>
    <p class="unseen" id="${id}-description">${says.join("; ")}</p></figure>`;
}

// ---- Charts of two variables ------------------------------------------------------------------

// plot({title, caption, description, x, y, series, legend}): curves, points, areas and bars.
//   x, y         {label, log, ticks, zero}: `ticks` formats the marks, `zero` includes 0 in the axis
//   series       {kind, points, style}; kind: "line", "dots", "bars" (from 0), or "area" (between two
//                values: points [x, low, high]); style: "first" or "second"
//   legend       [[style, text], ...]
//   description  for screen readers
// Points whose values are missing, or not above 0 on a logarithmic axis, are left out.
function plot({title, caption, description, x, y, series, legend}) {
  const axisOf = ({log, ticks, zero}, values) => {
    const usable = values.filter((value) => known(value) && (!log || value > 0));
    let least = Math.min(...usable), most = Math.max(...usable);
    if (zero) [least, most] = [Math.min(0, least), Math.max(0, most)];
    if (!usable.length) [least, most] = log ? [1, 10] : [0, 1];
    if (least === most) [least, most] = log ? [least / 2, most * 2] : [least - 1, most + 1];
    const scale = log ? Math.log10 : (value) => value, from = scale(least), extent = scale(most) - from;
    const step = log ? Math.max(1, Math.ceil(extent / 6)) : stepBetween(least, most);
    let marks = marksBetween(from, from + extent, step);
    if (log) marks = marks.map((mark) => 10 ** mark);
    if (log && marks.length < 2) marks = [least, most];
    return {at: (value) => (100 * (scale(value) - from)) / extent, usable: (value) => known(value) && (!log || value > 0),
      marks, ticks: ticks || (log ? shortCount : String)};
  };
  const all = series.flatMap((each) => each.points);
  const across = axisOf(x, all.map((point) => point[0])), up = axisOf(y, all.flatMap((point) => point.slice(1)));
  const px = (value) => across.at(value).toFixed(2), py = (value) => (100 - up.at(value)).toFixed(2);
  const pathOf = ({kind, points}) => {
    const good = points.filter((point) => across.usable(point[0]) && point.slice(1).every(up.usable));
    if (kind === "dots") return good.map(([a, b]) => `M${px(a)} ${py(b)}h.001`).join("");
    if (kind === "bars") return good.map(([a, b]) => `M${px(a)} ${py(0)}V${py(b)}`).join("");
    if (kind === "area") return good.length ? `M${good.map(([a, low]) => `${px(a)} ${py(low)}`).join("L")}L${
      good.slice().reverse().map(([a, , high]) => `${px(a)} ${py(high)}`).join("L")}Z` : "";
    return good.length === 1 ? `M${px(good[0][0])} ${py(good[0][1])}h.001` : `M${good.map(([a, b]) => `${px(a)} ${py(b)}`).join("L")}`;
  };
  const classOf = ({kind, points, style}) =>
    `${kind === "line" && points.length > 1 ? "" : kind === "line" ? "single" : kind} ${
      kind === "dots" && points.length > 200 ? "many" : ""} ${style || "first"}`;
  const id = newId();
  const grid = html`<path class="grid" d="${across.marks.map((mark) => `M${px(mark)} 0V100`).join("")}${
    up.marks.map((mark) => `M0 ${py(mark)}H100`).join("")}"/>${
    y.zero && html`<path class="zero" d="M0 ${py(0)}H100"/>`}`;
  return html`<figure>
    <figcaption id="${id}-title">${title} <span>${caption}</span></figcaption>
    ${legend && html`<div class="legend" aria-hidden="true">${legend.map(([style, text]) =>
      html`<span><i class="${style}"></i>${text}</span>`)}</div>`}
    <div class="plot" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-description">
    <svg viewBox="0 0 100 100" preserveAspectRatio="none">${grid}${
      series.map((each) => html`<path class="${classOf(each)}" d="${pathOf(each)}"/>`)}</svg>
    ${up.marks.map((mark) => html`<span class="y" style="bottom: ${up.at(mark).toFixed(2)}%">${up.ticks(mark)}</span>`)}
    ${across.marks.map((mark) => html`<span class="x" style="left: ${px(mark)}%">${across.ticks(mark)}</span>`)}
    <span class="x-label">${x.label}</span></div>
    <p class="unseen" id="${id}-description">${description}</p></figure>`;
}

// 950, 12k, 3.4M.
function shortCount(value) {
  const units = ["", "k", "M", "G", "T"];
  let unit = 0;
  for (; value >= 999.5 && unit + 1 < units.length; unit++) value /= 1000;
  return `${Number(value.toPrecision(3))}${units[unit]}`;
}
