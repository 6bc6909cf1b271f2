// Draws the points of a map: with WebGL 2, or, where there is none, pixel by pixel on a canvas.
//
// All points are in one buffer on the graphics card, so a frame is one call whatever their number.
// They are in reverse order, so that frequent words are above rare ones.

import type {WordMap} from "./map_data";

/** What is seen: the middle in the coordinates of the map, and pixels of the screen per unit. */
export interface View { x: number; y: number; scale: number }

/** Four bytes per word: red, green, blue, and 0 for a word that is dimmed, otherwise 128 for the
 * smallest to 255 for the largest point. */
export type Tints = Uint8Array;

export interface Painter {
  readonly canvas: HTMLCanvasElement;
  readonly kind: "webgl" | "canvas";
  setPoints(map: WordMap, tints: Tints): void;
  setTints(tints: Tints): void;
  /** `size`: of the smallest point, in pixels of the screen. */
  draw(view: View, width: number, height: number, ratio: number, size: number): void;
  free(): void;
}

const VERTEX = `#version 300 es
layout(location = 0) in vec2 place;
layout(location = 1) in vec4 colour;
uniform vec2 middle, scale;
uniform float size;
out vec4 tint;
out float side;
void main() {
  bool lit = colour.a > .25;
  gl_Position = vec4((place - middle) * scale, 0, 1);
  side = size * (lit ? 2. * colour.a : .8);
  gl_PointSize = side;
  tint = vec4(colour.rgb, lit ? .85 : .13);
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 tint;
in float side;
out vec4 result;
void main() {
  float reach = length(gl_PointCoord * 2. - 1.), cover = side < 2.5 ? 1. : clamp((1. - reach) * side * .5 + .5, 0., 1.);
  result = vec4(tint.rgb, 1) * tint.a * cover;
}`;

class WebGlPainter implements Painter {
  readonly kind = "webgl";
  private readonly gl: WebGL2RenderingContext;
  private readonly places: WebGLBuffer;
  private readonly colours: WebGLBuffer;
  private readonly uniforms: Record<"middle" | "scale" | "size", WebGLUniformLocation | null>;
  private count = 0;
  private origin = {x: 0, y: 0, unit: 1}; // the buffer has (place - origin) / unit, which needs fewer digits

  constructor(readonly canvas: HTMLCanvasElement, gl: WebGL2RenderingContext) {
    this.gl = gl;
    const program = gl.createProgram()!;
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
      const shader = gl.createShader(kind)!;
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? "the program cannot be linked");
    gl.useProgram(program);
    this.uniforms = {middle: gl.getUniformLocation(program, "middle"), scale: gl.getUniformLocation(program, "scale"), size: gl.getUniformLocation(program, "size")};
    this.places = gl.createBuffer()!;
    this.colours = gl.createBuffer()!;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.clearColor(0, 0, 0, 0);
  }

  setPoints(map: WordMap, tints: Tints): void {
    const {gl} = this, {core} = map, n = map.count, reversed = new Float32Array(2 * n);
    this.count = n;
    this.origin = {x: (core.left + core.right) / 2, y: (core.top + core.bottom) / 2, unit: Math.max(core.right - core.left, core.bottom - core.top) / 2 || 1};
    for (let k = 0; k < n; k++) {
      reversed[2 * (n - 1 - k)] = (map.points[2 * k] - this.origin.x) / this.origin.unit;
      reversed[2 * (n - 1 - k) + 1] = (map.points[2 * k + 1] - this.origin.y) / this.origin.unit;
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.places);
    gl.bufferData(gl.ARRAY_BUFFER, reversed, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    this.setTints(tints);
  }

  setTints(tints: Tints): void {
    const {gl} = this, n = this.count, words = new Uint32Array(tints.buffer, tints.byteOffset, n), reversed = new Uint32Array(n);
    for (let k = 0; k < n; k++) reversed[n - 1 - k] = words[k];
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colours);
    gl.bufferData(gl.ARRAY_BUFFER, reversed, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 0, 0);
  }

  draw(view: View, width: number, height: number, ratio: number, size: number): void {
    const {gl, canvas, origin} = this, w = Math.round(width * ratio), h = Math.round(height * ratio);
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    gl.viewport(0, 0, w, h);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(this.uniforms.middle, (view.x - origin.x) / origin.unit, (view.y - origin.y) / origin.unit);
    gl.uniform2f(this.uniforms.scale, (2 * view.scale * origin.unit) / width, (-2 * view.scale * origin.unit) / height);
    gl.uniform1f(this.uniforms.size, size * ratio);
    gl.drawArrays(gl.POINTS, 0, this.count);
  }

  free(): void {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

class CanvasPainter implements Painter {
  readonly kind = "canvas";
  private readonly pen: CanvasRenderingContext2D;
  private points: Float32Array = new Float32Array();
  private tints: Uint32Array = new Uint32Array();
  private image: ImageData | null = null;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.pen = canvas.getContext("2d")!;
  }

  setPoints(map: WordMap, tints: Tints): void {
    this.points = map.points;
    this.setTints(tints);
  }

  setTints(tints: Tints): void {
    this.tints = new Uint32Array(tints.buffer, tints.byteOffset, tints.length / 4);
  }

  draw(view: View, width: number, height: number, ratio: number, size: number): void {
    const {canvas, points, tints} = this, w = Math.round(width * ratio), h = Math.round(height * ratio);
    if (!w || !h) return;
    if (!this.image || canvas.width !== w || canvas.height !== h) {
      [canvas.width, canvas.height] = [w, h];
      this.image = this.pen.createImageData(w, h);
    }
    const pixels = new Uint32Array(this.image.data.buffer), scale = view.scale * ratio;
    const side = Math.max(1, Math.round(size * ratio * 1.2)), half = side >> 1;
    pixels.fill(0);
    for (let pass = 0; pass < 2; pass++) // dimmed words are below the others
      for (let k = tints.length - 1; k >= 0; k--) {
        const lit = tints[k] >>> 24 > 64;
        if (lit !== (pass === 1)) continue;
        const px = Math.round((points[2 * k] - view.x) * scale + w / 2) - half, py = Math.round((points[2 * k + 1] - view.y) * scale + h / 2) - half;
        if (px < 0 || py < 0 || px + side > w || py + side > h) continue;
        const colour = (tints[k] & 0xffffff) | (lit ? 0xe0000000 : 0x30000000);
        for (let a = 0; a < side; a++) pixels.fill(colour, (py + a) * w + px, (py + a) * w + px + side);
      }
    this.pen.putImageData(this.image, 0, 0);
  }

  free(): void {}
}

/** Whether the processor emulates the graphics card. */
function isEmulated(gl: WebGL2RenderingContext): boolean {
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER)));
}

export type Choice = "auto" | "plain" | "webgl";

/** `choice`: "auto" uses WebGL unless it is emulated by the processor, which is slower than the canvas:
 * with 83,632 points 300 ms instead of 145 ms per frame. "plain": the canvas; "webgl": WebGL in any case. */
export function makePainter(choice: Choice): Painter {
  const canvas = document.createElement("canvas");
  if (choice !== "plain") {
    const gl = canvas.getContext("webgl2", {antialias: false});
    try {
      if (gl && (choice === "webgl" || !isEmulated(gl))) return new WebGlPainter(canvas, gl);
    } catch (error) {
      console.warn(`WebGL does not work here: ${(error as Error).message}`);
    }
  }
  return new CanvasPainter(document.createElement("canvas")); // the first one may have another context
}
