import { type Colour, colourOf, contrast, INK, LEAST_CONTRAST, luminance, PAPER } from "../../../../mixins/documents/colours.ts";

/** Least luminance of what a code is printed on. */
const LEAST_LIGHT = 0.45;

/** The two colours of a code to be scanned. */
export interface CodeColours {
  dark: Colour;
  light: Colour;
  /** The pair asked for could not be scanned, so that both were replaced. */
  replaced: boolean;
}

/** A pair of colours that scanners can read: as asked, or ink on paper (money §14 "QR"). */
export function codeColours(dark: string | null, light: string | null): CodeColours {
  const [darker, lighter] = [colourOf(dark), colourOf(light)];
  const isReadable =
    darker !== null &&
    lighter !== null &&
    luminance(darker) < luminance(lighter) &&
    luminance(lighter) >= LEAST_LIGHT &&
    contrast(darker, lighter) >= LEAST_CONTRAST;
  return isReadable ? { dark: darker, light: lighter, replaced: false } : { dark: INK, light: PAPER, replaced: true };
}
