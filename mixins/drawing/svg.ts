import type { Locale } from "../../core/config/defaults.ts";
import type { ReportSeries } from "../../core/declare/report-sections.ts";
import { escapedHtml } from "../../core/values/text.ts";
import type { Palette } from "../documents/colours.ts";
import { TYPEFACE } from "../documents/typefaces.ts";
import { valueText } from "./numbers.ts";

/** A drawn chart: its markup, its size in pixels and its text alternative. */
export interface Chart {
  svg: string;
  width: number;
  height: number;
  alternative: string;
}

/** The inputs of a chart besides its series. */
export interface ChartLook {
  /** Unique in the document: the chart's title and description are referenced by it. */
  id: string;
  title: string;
  locale: Locale;
  currency?: string | null | undefined;
  palette: Palette;
  words: { now: string; before: string; other: string };
}

/** Width of every chart in pixels: the text width on A4. */
export const WIDTH = 656;
/** Colours of everything except the series; each is readable in greyscale. */
export const AXIS = "#5c5c57";
export const GRID = "#deded8";
/** Longest label in characters. */
const MOST_LABEL = 34;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Characters that XML 1.0 cannot contain, even escaped; labels also drop line breaks and tabs. */
const NO_XML = /[\p{Cc}\ufffe\uffff]/gu;

/** Escapes text for SVG. */
export const safe = (text: string): string => escapedHtml(text.toWellFormed().replace(NO_XML, " "));

/** Shortens a label to fit, between whole graphemes. */
export function shortened(text: string, most = MOST_LABEL): string {
  const letters = [...graphemes.segment(text)].map(({ segment }) => segment);
  return letters.length <= most
    ? text
    : `${letters
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`;
}

/** Formats a coordinate with at most 2 decimals, so that the same figures give the same bytes on every machine. */
export const at = (value: number): string => String(Math.round(value * 100) / 100);

export const label = (x: number, y: number, text: string, more = ""): string =>
  `<text x="${at(x)}" y="${at(y)}" unicode-bidi="plaintext"${more}>${safe(text)}</text>`;

/** @throws Error if no point has a number */
export function requireDrawable({ points }: ReportSeries, title: string): void {
  if (!points.some(({ value }) => value !== null && Number.isFinite(value))) throw new Error(`nothing to draw in '${title}'`);
}

/** The text alternative of a series: each point with its value, and the earlier one in brackets. */
export function alternativeOf({ points, valueKind }: ReportSeries, look: ChartLook): string {
  const text = (value: number | null) => valueText(value, valueKind, look);
  return points
    .map(
      ({ key, value, before }) =>
        `${key}: ${text(value)}${before === null ? "" : ` (${look.words.before.toLowerCase()} ${text(before)})`}`,
    )
    .join("; ");
}

/** Wraps a drawing into a whole chart, with an explicit size: a size in percent has no area in a PDF (S29). */
export function framedSvg(height: number, drawing: string, series: ReportSeries, look: ChartLook): Chart {
  const alternative = alternativeOf(series, look);
  const id = `chart-${look.id.replace(/[^a-z0-9]+/gi, "-")}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc" font-family="${TYPEFACE}, Helvetica, Arial, sans-serif" font-size="11" fill="${AXIS}"><title id="${id}-title">${safe(look.title)}</title><desc id="${id}-desc">${safe(alternative)}</desc>${drawing}</svg>`;
  return { svg, width: WIDTH, height, alternative };
}
