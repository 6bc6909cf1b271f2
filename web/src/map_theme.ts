// The colours of maps, those of psdvec map: of points, and of text on them.

const POINTS = [
  [0x498de2, 0xc2611e, 0x3ba45a, 0xc6556c, 0xa770cd, 0x9c7d00, 0x00a5af, 0xbb5894, 0x789b26, 0x7173d4, 0xc37900, 0x009b7b],
  [0x6eadfe, 0xe0834b, 0x65c27c, 0xe4788b, 0xc592ea, 0xb99d21, 0x00c3cc, 0xd97ab2, 0x97b954, 0x8f94f0, 0xe19a3d, 0x00b99a]];
const TEXTS = [
  [0x17559b, 0x7e2d00, 0x00682a, 0x81223a, 0x6b3c8a, 0x614700, 0x006871, 0x78255a, 0x456000, 0x3f3d8e, 0x814400, 0x005f46],
  [0x9eceff, 0xf2ab83, 0x9bdda8, 0xf6a3af, 0xdfb9fc, 0xd2bd70, 0x72dee4, 0xeda4cc, 0xbcd68e, 0xb1b7fd, 0xf5bf81, 0x71d3ba]];
const NONE = [0xc9ccd1, 0x4d525b];
const RAMP = [[0xd5dbe6, 0x8db4dd, 0x3f7fc4, 0x6a3d9a, 0xb3123f], [0x39414f, 0x3f6ea5, 0x4fa3c7, 0xb8c46a, 0xffe08a]];

export interface Theme { dark: boolean; paper: string; ink: string; soft: string; mark: string; accent: string }

export function theme(): Theme {
  const style = getComputedStyle(document.documentElement), get = (name: string) => style.getPropertyValue(name).trim();
  return {dark: matchMedia("(prefers-color-scheme: dark)").matches, paper: get("--paper"), ink: get("--ink"), soft: get("--soft"),
    mark: get("--minus"), accent: get("--plus")};
}

const css = (colour: number) => `#${colour.toString(16).padStart(6, "0")}`;

export function clusterColour(cluster: number, dark: boolean): number {
  const list = POINTS[Number(dark)];
  return cluster < 0 ? NONE[Number(dark)] : list[cluster % list.length];
}

export function textColour(cluster: number, look: Theme): string {
  const list = TEXTS[Number(look.dark)];
  return cluster < 0 ? look.soft : css(list[cluster % list.length]);
}

/** The colour of a share from 0 (rare) to 1 (frequent). */
export function rampColour(share: number, dark: boolean): number {
  const ends = RAMP[Number(dark)], at = Math.max(0, Math.min(1, share)) * (ends.length - 1);
  const low = Math.min(ends.length - 2, Math.floor(at)), part = at - low;
  let colour = 0;
  for (const shift of [16, 8, 0]) {
    const a = (ends[low] >> shift) & 255, b = (ends[low + 1] >> shift) & 255;
    colour |= Math.round(a + (b - a) * part) << shift;
  }
  return colour;
}

/** The colours of the scale of frequencies, as a CSS gradient. */
export function rampGradient(dark: boolean): string {
  return `linear-gradient(90deg, ${RAMP[Number(dark)].map(css).join(", ")})`;
}
