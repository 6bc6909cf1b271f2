// The map as an element: points, labels and marks, and moving, pointing and drawing around words with
// mouse, fingers and keys. It knows nothing about the server.

import {h} from "./dom";
import type {Polygon, WordMap} from "./map_data";
import {Labels} from "./map_labels";
import {Choice, makePainter, Painter, View} from "./map_painter";
import {clusterColour, rampColour, theme, Theme} from "./map_theme";

export type Colouring = "cluster" | "frequency";

/** A word that is marked: on the map, or where it belongs (place -1). */
export interface Mark { place: number; x: number; y: number; text: string }

export interface MapEvents {
  pick(place: number): void;
  area(polygon: Polygon | null): void;
  moved(): void; // the view has come to rest
}

const CLICK = 5;         // pixels that a click may move
const REACH = 14;        // pixels from a word that still point at it
const FLIGHT = 350;      // milliseconds
const MOST_ZOOM = 4000, LEAST_ZOOM = 0.5;
const REST = 250;        // milliseconds without movement

/** Milliseconds of our own code per frame, for measurements: the last hundred frames. */
export const frameTimes: number[] = [];

export class MapPanel {
  readonly element: HTMLElement;
  lasso = false; // dragging draws
  private painter: Painter;
  private readonly overlay = h("canvas", {class: "map-marks", "aria-hidden": "true"}) as HTMLCanvasElement;
  private readonly pen = this.overlay.getContext("2d")!;
  private readonly surface: HTMLElement;
  private readonly tip = h("div", {class: "map-tip", hidden: true, "aria-hidden": "true"});
  private readonly labels = new Labels();
  private look: Theme = theme();
  private map: WordMap | null = null;
  private tints: Uint8Array = new Uint8Array();
  private view: View = {x: 0, y: 0, scale: 1};
  private whole = 1;          // the scale that shows all
  private width = 0;
  private height = 0;
  private queued = 0;
  private flight = 0;
  private rest = 0;
  private marks: Mark[] = [];  // the chosen word first, then its neighbours
  private polygon: Polygon | null = null;
  private drawing: Polygon | null = null;
  private selected: Set<number> | null = null;
  private colouring: Colouring = "cluster";
  private keyboard = false;    // the cross in the middle is shown
  private wanted: {x: number; y: number; zoom: number} | null = null; // before the size is known
  private readonly fingers = new Map<number, {x: number; y: number}>();
  private moved = 0;

  constructor(private readonly events: MapEvents, choice: Choice) {
    this.painter = makePainter(choice);
    this.surface = h("div", {class: "map-surface", tabindex: "0", role: "application", "aria-roledescription": "map",
      "aria-label": "Map of words", "aria-describedby": "map-help"});
    this.element = h("div", {class: "map-box", "data-painter": this.painter.kind}, this.painter.canvas, this.overlay, this.surface, this.tip);
    this.listenToLoss();
    this.listen();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.look = theme(); this.tint(); });
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  // ---- Content

  show(map: WordMap): void {
    if (map === this.map) return;
    this.map = map;
    this.selected = null;
    this.tints = new Uint8Array(4 * map.count);
    this.fillTints();
    this.painter.setPoints(map, this.tints);
    if (this.width) this.fit(false);
  }

  colour(by: Colouring): void {
    if (by === this.colouring) return;
    this.colouring = by;
    this.tint();
  }

  /** Marks a word and its neighbours. */
  mark(marks: Mark[]): void {
    this.marks = marks;
    this.redraw();
  }

  /** Shows an area, and dims the words outside it. */
  select(polygon: Polygon | null, places: number[]): void {
    this.polygon = polygon;
    this.selected = polygon ? new Set(places) : null;
    this.tint();
  }

  /** The words that have a label now. */
  get labelled(): number[] {
    return this.labels.shown;
  }

  private fillTints(): void {
    const {map, tints, selected} = this;
    if (!map) return;
    const {frequency} = map, {dark} = this.look, n = map.count;
    let low = Infinity, high = -Infinity;
    if (frequency) for (let k = 0; k < n; k++) {
      if (frequency[k] < low) low = frequency[k];
      if (frequency[k] > high) high = frequency[k];
    }
    const base = Math.log(low + 1), range = Math.log(high + 1) - base || 1;
    for (let k = 0; k < n; k++) {
      const share = frequency ? (Math.log(frequency[k] + 1) - base) / range : 1 - Math.log(k + 1) / Math.log(n + 1);
      const colour = this.colouring === "cluster" ? clusterColour(map.clusters[k], dark) : rampColour(share, dark);
      tints[4 * k] = colour >> 16;
      tints[4 * k + 1] = colour >> 8;
      tints[4 * k + 2] = colour;
      tints[4 * k + 3] = selected && !selected.has(k) ? 0 : 128 + 127 * share;
    }
  }

  private tint(): void {
    if (!this.map) return;
    this.fillTints();
    this.painter.setTints(this.tints);
    this.redraw();
  }

  // ---- Drawing

  private resize(): void {
    const first = !this.width;
    [this.width, this.height] = [this.element.clientWidth, this.element.clientHeight];
    if (!this.width || !this.map) return;
    const zoom = this.view.scale / this.whole;
    this.whole = this.wholeScale();
    if (first || this.wanted) this.fit(false);
    else this.view.scale = zoom * this.whole;
    this.redraw();
  }

  redraw(): void {
    if (!this.queued) this.queued = requestAnimationFrame(() => { this.queued = 0; this.draw(); });
  }

  private draw(): void {
    const {map, pen, overlay, view, width, height, look} = this;
    if (!map || !width || !this.element.isConnected) return;
    const begin = performance.now(), ratio = Math.min(2, window.devicePixelRatio || 1), zoom = view.scale / this.whole;
    const size = Math.min(6, Math.max(1, 0.55 * Math.sqrt((width * height * 0.4 * Math.sqrt(zoom)) / map.count)));
    this.painter.draw(view, width, height, ratio, size);
    const w = Math.round(width * ratio), h = Math.round(height * ratio);
    if (overlay.width !== w || overlay.height !== h) [overlay.width, overlay.height] = [w, h];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.drawMarks();
    this.labels.draw(pen, map, view, width, height, zoom, look, {
      first: this.marks.filter((mark) => mark.place >= 0).map((mark) => mark.place), absent: this.marks[0]?.place < 0 ? this.marks[0] : null,
      dimmed: this.selected ? (place) => !this.selected!.has(place) : null, plain: this.colouring !== "cluster"});
    this.drawArea(this.drawing ?? this.polygon, Boolean(this.drawing));
    if (this.keyboard) this.drawCross();
    frameTimes.push(performance.now() - begin);
    if (frameTimes.length > 100) frameTimes.shift();
  }

  private across(x: number): number { return (x - this.view.x) * this.view.scale + this.width / 2; }
  private down(y: number): number { return (y - this.view.y) * this.view.scale + this.height / 2; }

  private drawMarks(): void {
    const {pen, look, marks} = this;
    if (!marks.length) return;
    const [chosen, ...near] = marks, cx = this.across(chosen.x), cy = this.down(chosen.y);
    pen.strokeStyle = look.ink;
    pen.lineWidth = 1;
    pen.globalAlpha = 0.35;
    pen.beginPath();
    for (const mark of near) {
      pen.moveTo(cx, cy);
      pen.lineTo(this.across(mark.x), this.down(mark.y));
    }
    pen.stroke();
    pen.globalAlpha = 1;
    for (const mark of [...near, chosen]) {
      const main = mark === chosen;
      pen.beginPath();
      pen.arc(this.across(mark.x), this.down(mark.y), main ? 6 : 3.5, 0, 7);
      pen.fillStyle = main ? look.mark : look.ink;
      pen.fill();
      pen.strokeStyle = look.paper;
      pen.lineWidth = 1.5;
      pen.stroke();
    }
    if (chosen.place >= 0) return;
    pen.beginPath(); // a dashed ring: the place is an estimate
    pen.arc(cx, cy, 11, 0, 7);
    pen.setLineDash([3, 3]);
    pen.strokeStyle = look.mark;
    pen.stroke();
    pen.setLineDash([]);
  }

  private drawArea(polygon: Polygon | null, open: boolean): void {
    const {pen, look} = this;
    if (!polygon || polygon.length < 2) return;
    pen.beginPath();
    polygon.forEach(([x, y], k) => (k ? pen.lineTo(this.across(x), this.down(y)) : pen.moveTo(this.across(x), this.down(y))));
    if (!open) pen.closePath();
    pen.globalAlpha = 0.06;
    pen.fillStyle = look.accent;
    pen.fill();
    pen.globalAlpha = 1;
    pen.strokeStyle = look.accent;
    pen.lineWidth = 2;
    pen.setLineDash(open ? [5, 4] : []);
    pen.stroke();
    pen.setLineDash([]);
  }

  private drawCross(): void {
    const {pen, look} = this, x = this.width / 2, y = this.height / 2;
    for (const [colour, line] of [[look.paper, 4], [look.ink, 1.5]] as const) {
      pen.strokeStyle = colour;
      pen.lineWidth = line;
      pen.beginPath();
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        pen.moveTo(x + 4 * dx, y + 4 * dy);
        pen.lineTo(x + 13 * dx, y + 13 * dy);
      }
      pen.stroke();
    }
  }

  private listenToLoss(): void {
    this.painter.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      const old = this.painter.canvas;
      this.painter = makePainter("plain"); // the system took the graphics card away
      old.replaceWith(this.painter.canvas);
      this.element.dataset.painter = this.painter.kind;
      if (this.map) this.painter.setPoints(this.map, this.tints);
      this.redraw();
    });
  }

  // ---- Moving

  private wholeScale(): number {
    const {core} = this.map!;
    return 0.9 * Math.min(this.width / (core.right - core.left || 1), this.height / (core.bottom - core.top || 1));
  }

  /** Shows the whole map, or the view that was asked for before the size was known. */
  fit(smooth = true): void {
    if (!this.map) return;
    if (!this.width) return;
    const {core} = this.map;
    this.whole = this.wholeScale();
    const to = this.wanted ?? {x: (core.left + core.right) / 2, y: (core.top + core.bottom) / 2, zoom: 1};
    this.wanted = null;
    this.go(to.x, to.y, to.zoom, smooth);
  }

  get position(): {x: number; y: number; zoom: number} {
    return {x: this.view.x, y: this.view.y, zoom: this.view.scale / this.whole};
  }

  go(x: number, y: number, zoom: number, smooth = true): void {
    if (!this.map || !this.width) {
      this.wanted = {x, y, zoom};
      return;
    }
    cancelAnimationFrame(this.flight);
    const from = {...this.view}, scale = this.whole * Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, zoom)), begin = performance.now();
    const still = !smooth || matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = () => {
      const t = still ? 1 : Math.min(1, (performance.now() - begin) / FLIGHT), ease = t * t * (3 - 2 * t);
      const now = from.scale * (scale / from.scale) ** ease;
      // In the middle of a zoom, the place moves with the magnification.
      const part = Math.abs(scale / from.scale - 1) < 1e-6 ? ease : (1 / from.scale - 1 / now) / (1 / from.scale - 1 / scale);
      this.view = {x: from.x + (x - from.x) * part, y: from.y + (y - from.y) * part, scale: now};
      this.changed();
      if (t < 1) this.flight = requestAnimationFrame(step);
    };
    step();
  }

  /** Brings a point into the middle, close enough to see its surroundings. */
  focusOn(x: number, y: number): void {
    if (!this.map) return;
    const near = Math.max(3, Math.sqrt(this.map.count / 400));
    this.go(x, y, Math.max(this.width ? this.position.zoom : 1, near));
  }

  private changed(): void {
    this.redraw();
    clearTimeout(this.rest);
    this.element.dataset.moving = ""; // until the view has come to rest
    this.rest = window.setTimeout(() => {
      this.events.moved();
      delete this.element.dataset.moving;
    }, REST);
  }

  private pan(dx: number, dy: number): void {
    cancelAnimationFrame(this.flight);
    this.view.x -= dx / this.view.scale;
    this.view.y -= dy / this.view.scale;
    this.changed();
  }

  zoomBy(factor: number, px = this.width / 2, py = this.height / 2): void {
    cancelAnimationFrame(this.flight);
    const {view} = this, scale = this.whole * Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, (view.scale / this.whole) * factor));
    view.x += (px - this.width / 2) * (1 / view.scale - 1 / scale);
    view.y += (py - this.height / 2) * (1 / view.scale - 1 / scale);
    view.scale = scale;
    this.changed();
  }

  // ---- Pointing

  private at(event: MouseEvent): {x: number; y: number} {
    const box = this.element.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  private inMap(point: {x: number; y: number}): [number, number] {
    return [(point.x - this.width / 2) / this.view.scale + this.view.x, (point.y - this.height / 2) / this.view.scale + this.view.y];
  }

  private under(point: {x: number; y: number}, reach: number): number {
    const [x, y] = this.inMap(point);
    return this.map ? this.map.nearest(x, y, reach / this.view.scale) : -1;
  }

  private hover(event: PointerEvent): void {
    const place = event.pointerType === "mouse" && !this.lasso ? this.under(this.at(event), REACH) : -1, {map, tip} = this;
    tip.hidden = place < 0;
    this.surface.classList.toggle("pointing", place >= 0);
    if (place < 0 || !map) return;
    tip.replaceChildren(map.form(place), map.frequency ? h("small", {}, map.frequency[place].toLocaleString("en-US")) : "");
    const x = this.across(map.points[2 * place]), y = this.down(map.points[2 * place + 1]);
    tip.style.left = `${Math.max(4, Math.min(this.width - tip.offsetWidth - 4, x + 10))}px`;
    tip.style.top = `${y > 44 ? y - 38 : y + 14}px`;
  }

  private listen(): void {
    const {surface, fingers} = this;
    surface.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      const point = this.at(event);
      fingers.set(event.pointerId, point);
      surface.setPointerCapture(event.pointerId);
      this.tip.hidden = true;
      this.keyboard = false;
      this.moved = 0;
      if ((this.lasso || event.shiftKey) && fingers.size === 1) this.drawing = [this.inMap(point)];
      else this.drawing = null;
      surface.classList.add("moving");
      this.redraw();
    });
    surface.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId), point = this.at(event);
      if (!before) return this.hover(event);
      this.moved += Math.hypot(point.x - before.x, point.y - before.y);
      const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, finger]) => finger);
      if (this.drawing) {
        this.drawing.push(this.inMap(point));
        this.redraw();
      } else if (others.length === 1) {
        const [other] = others, gap = (finger: {x: number; y: number}) => Math.hypot(finger.x - other.x, finger.y - other.y);
        if (gap(before) > 0) this.zoomBy(gap(point) / gap(before), (point.x + other.x) / 2, (point.y + other.y) / 2);
        this.pan((point.x - before.x) / 2, (point.y - before.y) / 2);
      } else if (this.moved > CLICK) this.pan(point.x - before.x, point.y - before.y);
      fingers.set(event.pointerId, point);
    });
    const end = (event: PointerEvent) => {
      if (!fingers.delete(event.pointerId)) return;
      surface.classList.toggle("moving", fingers.size > 0);
      const drawn = this.drawing;
      this.drawing = null;
      if (event.type === "pointercancel") return this.redraw();
      if (drawn && this.moved > CLICK) this.events.area(simplify(drawn, 2 / this.view.scale));
      else if (this.moved <= CLICK && !fingers.size) {
        const place = this.under(this.at(event), event.pointerType === "mouse" ? REACH : 2 * REACH);
        if (place >= 0) this.events.pick(place);
      }
      this.redraw();
    };
    surface.addEventListener("pointerup", end);
    surface.addEventListener("pointercancel", end);
    surface.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    surface.addEventListener("wheel", (event) => {
      event.preventDefault();
      const {x, y} = this.at(event);
      this.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), x, y);
    }, {passive: false});
    surface.addEventListener("dblclick", (event) => { const {x, y} = this.at(event); this.zoomBy(2, x, y); });
    surface.addEventListener("keydown", (event) => this.key(event));
    surface.addEventListener("focus", () => { if (surface.matches(":focus-visible")) { this.keyboard = true; this.redraw(); } });
    surface.addEventListener("blur", () => { this.keyboard = false; this.redraw(); });
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? 240 : 60;
    const move = ({ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step]} as Record<string, number[]>)[event.key];
    if (move) this.pan(move[0], move[1]);
    else if (event.key === "+" || event.key === "=") this.zoomBy(1.5);
    else if (event.key === "-" || event.key === "_") this.zoomBy(1 / 1.5);
    else if (event.key === "0" || event.key === "Home") this.fit();
    else if (event.key === "s") this.selectMiddle();
    else if (event.key === "Enter") {
      const place = this.under({x: this.width / 2, y: this.height / 2}, Math.min(this.width, this.height) / 2);
      if (place >= 0) this.events.pick(place);
    } else if (event.key === "Escape" && (this.drawing || this.polygon)) {
      if (!this.drawing) this.events.area(null);
      this.drawing = null;
    } else return;
    event.preventDefault();
    this.keyboard = true;
    this.redraw();
  }

  /** Selects the words in a rectangle: around the chosen word if it is in view, else in the middle. */
  selectMiddle(): void {
    const [chosen] = this.marks, {view} = this;
    const seen = chosen && Math.abs(this.across(chosen.x) - this.width / 2) < this.width / 2 && Math.abs(this.down(chosen.y) - this.height / 2) < this.height / 2;
    const x = seen ? chosen.x : view.x, y = seen ? chosen.y : view.y, a = this.width / 5 / view.scale, b = this.height / 5 / view.scale;
    this.events.area([[x - a, y - b], [x + a, y - b], [x + a, y + b], [x - a, y + b]]);
  }
}

/** A line without the points that are within `tolerance` of it (Douglas and Peucker 1973). */
export function simplify(line: Polygon, tolerance: number): Polygon {
  if (line.length < 3) return line;
  const keep = new Uint8Array(line.length), stack: [number, number][] = [[0, line.length - 1]];
  keep[0] = keep[line.length - 1] = 1;
  while (stack.length) {
    const [from, to] = stack.pop()!, [ax, ay] = line[from], [bx, by] = line[to], length = Math.hypot(bx - ax, by - ay);
    let furthest = -1, most = tolerance;
    for (let k = from + 1; k < to; k++) {
      const [x, y] = line[k];
      const gap = length ? Math.abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length : Math.hypot(x - ax, y - ay);
      if (gap > most) [furthest, most] = [k, gap];
    }
    if (furthest >= 0) {
      keep[furthest] = 1;
      stack.push([from, furthest], [furthest, to]);
    }
  }
  return line.filter((_, k) => keep[k]);
}
