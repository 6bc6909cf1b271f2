// The labels of a map: those of the level of zoom, most important first, and, where there is space,
// the most frequent words in view. No two overlap.

import type {WordMap} from "./map_data";
import type {View} from "./map_painter";
import {textColour, Theme} from "./map_theme";

const CELL = 48;          // pixels: labels are compared with those in the same cells only
const PER_LABEL = 6500;   // square pixels of the map
const FEW = 5000;         // words in view from which the most frequent are labelled
const LEVEL_AT_START = 3.2;

class Places {
  private readonly cells = new Map<number, number[]>(); // four numbers per box
  /** Takes a box if it is free. */
  take(left: number, top: number, right: number, bottom: number, always = false): boolean {
    const keys: number[] = [];
    for (let a = Math.floor(left / CELL); a <= Math.floor(right / CELL); a++)
      for (let b = Math.floor(top / CELL); b <= Math.floor(bottom / CELL); b++) keys.push(a * 65536 + b);
    if (!always) for (const key of keys) {
      const boxes = this.cells.get(key);
      if (boxes) for (let k = 0; k < boxes.length; k += 4)
        if (left < boxes[k + 2] && boxes[k] < right && top < boxes[k + 3] && boxes[k + 1] < bottom) return false;
    }
    for (const key of keys) {
      const boxes = this.cells.get(key);
      if (boxes) boxes.push(left, top, right, bottom);
      else this.cells.set(key, [left, top, right, bottom]);
    }
    return true;
  }
}

export interface Wishes {
  first: number[];                                        // words that are labelled before others
  absent: {x: number; y: number; text: string} | null;    // a text at a place without a word
  dimmed: ((place: number) => boolean) | null;            // whether a word has no label
  plain: boolean;                                         // not in the colours of the clusters
}

export class Labels {
  private readonly widths = new Map<string, number>(); // of texts, per pixel of the font
  /** The words that were labelled last, most important first. */
  shown: number[] = [];

  private width(pen: CanvasRenderingContext2D, text: string, bold: boolean): number {
    const key = (bold ? "b" : "n") + text;
    let width = this.widths.get(key);
    if (width === undefined) {
      pen.font = `${bold ? "600 " : ""}100px system-ui, sans-serif`;
      this.widths.set(key, width = pen.measureText(text).width / 100);
      if (this.widths.size > 20000) this.widths.clear();
    }
    return width;
  }

  /** `zoom`: magnification relative to the whole map. */
  draw(pen: CanvasRenderingContext2D, map: WordMap, view: View, width: number, height: number, zoom: number, look: Theme,
       {first, absent, dimmed, plain}: Wishes): void {
    const places = new Places(), seen = new Set<number>(), most = Math.round((width * height) / PER_LABEL);
    const level = Math.log2(zoom) + LEVEL_AT_START;
    const reach = {x: width / 2 / view.scale, y: height / 2 / view.scale};
    const box = {left: view.x - reach.x, right: view.x + reach.x, top: view.y - reach.y, bottom: view.y + reach.y};
    const few = map.countNear(box) <= FEW; // then labels are above their points, and do not hide them
    this.shown = [];
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.lineWidth = 3.5;
    pen.strokeStyle = look.paper;
    const put = (place: number, pixels: number, bold: boolean, always: boolean) => {
      const px = (map.points[2 * place] - view.x) * view.scale + width / 2, py = (map.points[2 * place + 1] - view.y) * view.scale + height / 2;
      if (px < 0 || py < 0 || px > width || py > height || seen.has(place)) return;
      const text = map.form(place), half = (this.width(pen, text, bold) * pixels) / 2 + 4, y = always || few ? py - pixels * 0.6 - 4 : py;
      if (!places.take(px - half, y - pixels * 0.72, px + half, y + pixels * 0.72, !absent && place === first[0])) return;
      seen.add(place);
      this.shown.push(place);
      pen.font = `${bold ? "600 " : ""}${pixels}px system-ui, sans-serif`;
      pen.strokeText(text, px, y);
      pen.fillStyle = always ? (place === first[0] && !absent ? look.mark : look.ink) : plain ? look.ink : textColour(map.clusters[place], look);
      pen.fillText(text, px, y);
    };
    if (absent) {
      const px = (absent.x - view.x) * view.scale + width / 2, py = (absent.y - view.y) * view.scale + height / 2 - 22;
      const half = this.width(pen, absent.text, true) * 9 + 4;
      places.take(px - half, py - 13, px + half, py + 13);
      pen.font = "italic 600 18px system-ui, sans-serif";
      pen.strokeText(absent.text, px, py);
      pen.fillStyle = look.mark;
      pen.fillText(absent.text, px, py);
    }
    first.forEach((place, k) => put(place, k || absent ? 13 : 18, k === 0 && !absent, true));
    for (let k = 0; k < map.labels.length && this.shown.length < most; k++) {
      const above = level - map.levels[k];
      if (above < 0) break; // they are in the order of their levels
      if (!dimmed?.(map.labels[k])) put(map.labels[k], above > 3 ? 16 : above > 2 ? 14 : 12, above > 3, false);
    }
    if (!few || this.shown.length >= most) return;
    const rest: number[] = [];
    map.eachIn(box, (place) => rest.push(place));
    rest.sort((a, b) => a - b);
    for (const place of rest) {
      if (this.shown.length >= most) break;
      if (!dimmed?.(place)) put(place, 12, false, false);
    }
  }
}
