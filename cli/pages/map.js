// A map of words on a canvas: drawing, moving, zooming and pointing, for all pages with a map.
//
//   const map = wordMap({canvas, tip, data, always});
//   map.zoomBy(1.6); map.showAll(); map.goTo(12); map.choose(null);
//
// data: the map as `psdvec map` writes it: words, x, y (0 to 65535), cluster (-1: none), frequency
// (may be missing), labels (place and level, in turn). tip: an element that shows the word under the
// pointer. always: the wheel and one finger move the map even if it does not have the focus, as on a
// page that consists of the map alone.
"use strict";

function wordMap({canvas, tip, data, always = false}) {
  const {words, x, y, cluster, frequency = null, labels} = data;
  const total = words.length, pen = canvas.getContext("2d");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const hue = (k) => (k * 137.508) % 360; // the golden angle: consecutive clusters differ
  const colour = (k, text) => (k < 0 ? (dark.matches ? "#5b616c" : "#b9bec6")
    : `hsl(${hue(k)} ${dark.matches ? 60 : 55}% ${text ? (dark.matches ? 78 : 30) : (dark.matches ? 62 : 50)}%)`);
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

  // ---- The view: pixels = (map - centre) * scale + middle ----

  const size = 65535, view = {x: size / 2, y: size / 2, scale: 1};
  let chosen = null, width = 0, height = 0, queued = false, whole = 1;
  // The extent of the values without those that are far from the others.
  function span(values) {
    const sorted = Float64Array.from(values).sort(), quantile = (share) => sorted[Math.round(share * (total - 1))];
    const low = quantile(0.05), high = quantile(0.95), beyond = 0.3 * (high - low);
    const least = Math.max(quantile(0.005), low - beyond), most = Math.min(quantile(0.995), high + beyond);
    return {extent: most - least, middle: (least + most) / 2};
  }
  const spans = {x: span(x), y: span(y)};
  const fit = () => 0.88 * Math.min(width / (spans.x.extent || 1), height / (spans.y.extent || 1));
  const across = (k) => (x[k] - view.x) * view.scale + width / 2;
  const down = (k) => (y[k] - view.y) * view.scale + height / 2;

  function showAll() {
    whole = fit();
    view.x = spans.x.middle;
    view.y = spans.y.middle;
    view.scale = whole;
    redraw();
  }

  // ---- Drawing ----

  const order = Array.from({length: total}, (_, k) => k).sort((a, b) => cluster[a] - cluster[b] || b - a);
  function draw() {
    queued = false;
    const ratio = window.devicePixelRatio || 1, zoom = view.scale / whole;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const side = Math.min(7, Math.max(1.3, 0.7 * Math.sqrt((width * height * 0.4 * Math.sqrt(zoom)) / total)));
    let last = null, shown = 0;
    pen.globalAlpha = 0.7;
    for (const k of order) {
      const px = across(k), py = down(k);
      if (px < -9 || py < -9 || px > width + 9 || py > height + 9) continue;
      if (cluster[k] !== last) pen.fillStyle = colour(last = cluster[k], false);
      shown++;
      if (side < 3) pen.fillRect(px - side / 2, py - side / 2, side, side);
      else { pen.beginPath(); pen.arc(px, py, side / 2, 0, 7); pen.fill(); }
    }
    pen.globalAlpha = 1;
    drawLabels(zoom, shown);
  }

  // Labels of the level of the zoom, then, where there is space, the most frequent words in view.
  function drawLabels(zoom, shown) {
    const cell = 64, taken = new Map(), level = Math.log2(zoom) + 3.2;
    const most = Math.round((width * height) / 7000);
    let count = 0;
    const fits = (box) => {
      const cells = [];
      for (let a = Math.floor(box[0] / cell); a <= Math.floor(box[2] / cell); a++)
        for (let b = Math.floor(box[1] / cell); b <= Math.floor(box[3] / cell); b++) cells.push(`${a} ${b}`);
      const hits = (other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3];
      if (cells.some((key) => (taken.get(key) || []).some(hits))) return false;
      for (const key of cells) taken.set(key, [...(taken.get(key) || []), box]);
      return true;
    };
    const put = (k, pixels, bold, must) => {
      const px = across(k), py = down(k);
      if (px < 0 || py < 0 || px > width || py > height || (count >= most && !must)) return;
      pen.font = `${bold ? "600 " : ""}${pixels}px system-ui, sans-serif`;
      const half = pen.measureText(words[k]).width / 2 + 3;
      if (!fits([px - half, py - pixels * 0.7, px + half, py + pixels * 0.7]) && !must) return;
      count++;
      pen.strokeStyle = style("--paper");
      pen.lineWidth = 3;
      pen.strokeText(words[k], px, py);
      pen.fillStyle = must ? style("--minus") : colour(cluster[k], true);
      pen.fillText(words[k], px, py);
    };
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    if (chosen !== null) put(chosen, 17, true, true);
    for (let k = 0; k < labels.length; k += 2) {
      const above = level - labels[k + 1];
      if (above < 0) break; // labels are in the order of their levels
      put(labels[k], above > 3 ? 16 : above > 2 ? 14 : 12, above > 3, false);
    }
    if (shown < 3000) for (let k = 0; k < total && count < most; k++) put(k, 12, false, false);
  }

  function redraw() {
    if (!queued) requestAnimationFrame(draw);
    queued = true;
  }

  // ---- Moving ----

  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  function zoomBy(factor, px = width / 2, py = height / 2) {
    const scale = Math.min(whole * 5000, Math.max(whole / 2, view.scale * factor));
    view.x += (px - width / 2) * (1 / view.scale - 1 / scale);
    view.y += (py - height / 2) * (1 / view.scale - 1 / scale);
    view.scale = scale;
    redraw();
  }
  const ours = () => always || document.activeElement === canvas;
  const touch = () => { canvas.style.touchAction = ours() ? "none" : "pan-y"; };
  for (const name of ["focus", "blur"]) canvas.addEventListener(name, touch);
  touch();
  const fingers = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add("moving");
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => {
    fingers.delete(event.pointerId);
    canvas.classList.toggle("moving", fingers.size > 0);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return hover(event);
    const others = [...fingers.values()].filter((finger) => finger.pointerId !== event.pointerId);
    if (others.length === 1) {
      const [other] = others, gap = (finger) => Math.hypot(finger.clientX - other.clientX, finger.clientY - other.clientY);
      const [a, b] = [place(event), place(other)];
      if (gap(before) > 0) zoomBy(gap(event) / gap(before), (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
    } else {
      view.x -= (event.clientX - before.clientX) / view.scale;
      view.y -= (event.clientY - before.clientY) / view.scale;
      redraw();
    }
    fingers.set(event.pointerId, event);
  });
  canvas.addEventListener("wheel", (event) => {
    if (!ours()) return; // the page scrolls
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...place(event));
  }, {passive: false});
  canvas.addEventListener("dblclick", (event) => zoomBy(2, ...place(event)));
  canvas.addEventListener("keydown", (event) => {
    const step = 60 / view.scale;
    const move = {ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step]}[event.key];
    if (move) { view.x += move[0]; view.y += move[1]; redraw(); }
    else if (event.key === "+" || event.key === "=") zoomBy(1.5);
    else if (event.key === "-") zoomBy(1 / 1.5);
    else if (event.key === "0") showAll();
    else return;
    event.preventDefault();
  });

  // ---- Pointing at words ----

  function hover(event) {
    const [px, py] = place(event);
    let best = null, least = 14 * 14;
    for (let k = 0; k < total; k++) {
      const dx = across(k) - px, dy = down(k) - py, square = dx * dx + dy * dy;
      if (square < least) [best, least] = [k, square];
    }
    tip.hidden = best === null;
    if (best === null) return;
    tip.textContent = words[best] + (frequency ? `  ${count(frequency[best])}` : "");
    tip.style.left = `${Math.min(width - tip.offsetWidth - 8, across(best) + 12)}px`;
    tip.style.top = `${Math.max(4, down(best) - 34)}px`;
  }
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });

  function choose(k) {
    chosen = k;
    redraw();
  }
  function goTo(k) {
    view.x = x[k];
    view.y = y[k];
    view.scale = Math.max(view.scale, whole * Math.max(4, Math.sqrt(total / 300)));
    choose(k);
  }

  dark.addEventListener("change", redraw);
  new ResizeObserver(() => {
    const first = width === 0, showed = view.scale === whole;
    [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (first || showed) showAll();
    else redraw();
  }).observe(canvas);
  return {zoomBy, showAll, goTo, choose};
}

// The buttons of a map, and what they do.
const mapButtons = html`<div class="zoom screen"><button type="button" data-zoom="1.6" aria-label="Zoom in">+</button><button
  type="button" data-zoom="0.625" aria-label="Zoom out">−</button><button type="button" data-zoom="0">All</button></div>`;
function useButtons(map, element) {
  element.addEventListener("click", (event) => {
    const button = event.target.closest("[data-zoom]"), factor = button && Number(button.dataset.zoom);
    if (factor) map.zoomBy(factor);
    else if (button) map.showAll();
  });
}
