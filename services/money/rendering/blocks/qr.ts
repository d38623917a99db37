import { later } from "../../../../core/values/later.ts";
import { escapedHtml } from "../../../../core/values/text.ts";
import { PAPER } from "../../../../mixins/documents/colours.ts";
import { type CodeColours, codeColours } from "./code-colours.ts";

const qrcode = later<typeof import("qrcode")>("qrcode");

/** Modules of quiet zone around a code (ISO/IEC 18004). */
const QUIET = 4;
/** Maximum share of a code's width that a logo can cover, so that level H still repairs it. */
const MOST_COVERED = 0.22;

/** A picture on a code, as a `data:` address. */
type Picture = string;

/** The side of a logo's patch in modules: whole ones, with the code's parity, so that it is centred. */
export function patchOf(size: number): number {
  const most = Math.floor(size * MOST_COVERED);
  return most % 2 === size % 2 ? most : most - 1;
}

/**
 * A QR code as SVG. Level M, or level H with a logo on a white patch of whole modules (money §14).
 * @param title its purpose, for people who cannot see it
 */
export function qrSvg(payload: string, { dark, light }: CodeColours, logo: Picture | null, title: string): string {
  const { modules } = qrcode().create(payload, { errorCorrectionLevel: logo ? "H" : "M" });
  const { size } = modules;
  const patch = patchOf(size);
  const from = (size - patch) / 2;
  const isCovered = (at: number) => logo !== null && at >= from && at < from + patch;
  const rows = Array.from({ length: size }, (_, y) => {
    let path = "";
    for (let x = 0; x < size; x++) {
      if (!modules.get(y, x) || (isCovered(x) && isCovered(y))) continue;
      let width = 1;
      while (x + width < size && modules.get(y, x + width) && !(isCovered(x + width) && isCovered(y))) width++;
      path += `M${x + QUIET} ${y + QUIET}h${width}v1h-${width}z`;
      x += width - 1;
    }
    return path;
  });
  const whole = size + 2 * QUIET;
  const place = `x="${from + QUIET}" y="${from + QUIET}" width="${patch}" height="${patch}"`;
  const inset = `x="${from + QUIET + 0.5}" y="${from + QUIET + 0.5}" width="${patch - 1}" height="${patch - 1}"`;
  const covered = logo
    ? `<rect ${place} fill="${PAPER}"/><image ${inset} preserveAspectRatio="xMidYMid meet" href="${escapedHtml(logo)}"/>`
    : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${whole} ${whole}" role="img" shape-rendering="crispEdges"><title>${escapedHtml(title)}</title><rect width="${whole}" height="${whole}" fill="${light}"/><path fill="${dark}" d="${rows.join("")}"/>${covered}</svg>`;
}

/** A template's options for its code. */
export interface CodeStyle {
  qr_style?: "brand" | "plain" | "custom" | undefined;
  qr_color?: string | null | undefined;
  qr_background?: string | null | undefined;
  qr_logo?: "brand" | "none" | "custom" | undefined;
}

/** The colours of a template's code, and the logo on it (money §14 "QR"). */
export function codeLook(
  { qr_style: style = "brand", qr_color: dark, qr_background: light, qr_logo: logo = "brand" }: CodeStyle,
  accent: string,
): CodeColours & { logo: "brand" | "none" | "custom" } {
  if (style === "plain") return { ...codeColours("#000000", PAPER), logo: "none" };
  if (style === "brand") return { ...codeColours(accent, PAPER), logo: "brand" };
  return { ...codeColours(dark ?? accent, light ?? PAPER), logo };
}
