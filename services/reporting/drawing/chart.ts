import type { Locale } from "../../../core/config/defaults.ts";
import type { ReportSeries } from "../../../core/declare/report-sections.ts";
import type { Palette } from "../../../mixins/documents/colours.ts";
import { barsSvg } from "./bars.ts";
import { lineSvg } from "./line.ts";
import { shareSvg } from "./share.ts";

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

const DRAWN = { line: lineSvg, bars: barsSvg, share: shareSvg };

/**
 * Draws a series as SVG. @throws Error for a series without numbers: a chart that cannot be drawn fails the run (workspace-reporting §1.5)
 */
export const chartOf = (series: ReportSeries, look: ChartLook): Chart => DRAWN[series.kind](series, look);
