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

/** What a chart is drawn with. */
export interface ChartLook {
  /** Unique in the document: its title and description are referred to by it. */
  id: string;
  title: string;
  locale: Locale;
  currency?: string | null | undefined;
  palette: Palette;
  words: { now: string; before: string; other: string };
}

const DRAWN = { line: lineSvg, bars: barsSvg, share: shareSvg };

/** A series as SVG text. @throws Error for a series without a single number: a chart that cannot be drawn fails the run (workspace-reporting §1.5) */
export const chartOf = (series: ReportSeries, look: ChartLook): Chart => DRAWN[series.kind](series, look);
