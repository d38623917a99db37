import { type Colour, colourOf, contrast, INK, LEAST_CONTRAST, luminance, PAPER } from "../../../../mixins/documents/colours.ts";

/** Minimum luminance of a code's background. */
const LEAST_LIGHT = 0.45;

/** The two colours of a QR code. */
export interface CodeColours {
  dark: Colour;
  light: Colour;
  /** Whether both colours were replaced because scanners could not read the requested pair. */
  replaced: boolean;
}

/** A pair of colours that scanners can read: the requested one, or ink on paper (money §14 "QR"). */
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
