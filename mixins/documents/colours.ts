/** A colour as `#rrggbb`. */
export type Colour = string;

export const INK: Colour = "#171717";
export const PAPER: Colour = "#ffffff";
/** Accent of an organisation that chose none. */
const ACCENT: Colour = "#1f4b5f";
/** Minimum contrast of text on paper (WCAG 2, 1.4.3). */
export const LEAST_CONTRAST = 4.5;

/** A hexadecimal colour in its long form; null for anything else. */
export function colourOf(text: string | null | undefined): Colour | null {
  const given = text?.trim().toLowerCase() ?? "";
  if (/^#[0-9a-f]{6}$/.test(given)) return given;
  return /^#[0-9a-f]{3}$/.test(given) ? `#${[...given.slice(1)].map((digit) => digit + digit).join("")}` : null;
}

/** Relative luminance of a colour, 0 to 1 (WCAG 2). */
export function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours, 1 to 21 (WCAG 2). */
export function contrast(one: Colour, other: Colour): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The colours of a document: its accent, the text colour on paper, and the text colour on the accent. */
export interface Palette {
  accent: Colour;
  /** The accent if it is readable on paper, otherwise ink. */
  text: Colour;
  /** Paper or ink, whichever is more readable on the accent. */
  onAccent: Colour;
}

/** The palette of the first valid colour: the template's, the brand's, or the default. */
export function paletteOf(...wanted: readonly (string | null | undefined)[]): Palette {
  const accent = wanted.map(colourOf).find((colour) => colour !== null) ?? ACCENT;
  return {
    accent,
    text: contrast(accent, PAPER) >= LEAST_CONTRAST ? accent : INK,
    onAccent: contrast(accent, PAPER) >= contrast(accent, INK) ? PAPER : INK,
  };
}
