import type { ReportSeries } from "../../core/declare/report-sections.ts";
import { barsSvg } from "./bars.ts";
import { lineSvg } from "./line.ts";
import { shareSvg } from "./share.ts";
import type { Chart, ChartLook } from "./svg.ts";

const DRAWN = { line: lineSvg, bars: barsSvg, share: shareSvg };

/**
 * Draws a series as SVG. @throws Error for a series without numbers: a chart that cannot be drawn fails the run (workspace-reporting §1.5)
 */
export const chartOf = (series: ReportSeries, look: ChartLook): Chart => DRAWN[series.kind](series, look);
