import type { ReportSeries } from "../../core/declare/report-sections.ts";
import { d3Scale } from "./d3.ts";
import { valueText } from "./numbers.ts";
import { at, type Chart, type ChartLook, framedSvg, label, requireDrawable, shortened, WIDTH } from "./svg.ts";

const LABELS = 210;
const VALUES = 96;
const ROW = 28;
const LEGEND = 24;
/** Characters of a name that fit before the bars. */
const MOST_NAME = 28;
/** Share of the row height for the current bar and for the earlier one. */
const PARTS = { now: 0.64, before: 0.28 };
const EARLIER = "#b5b5ae";

const numberOf = (value: number | null): number => (value !== null && Number.isFinite(value) ? Math.max(0, value) : 0);

/** Bars of the values, each with a thinner grey one below for the earlier value. Values below 0 have no length. */
export function barsSvg(series: ReportSeries, look: ChartLook): Chart {
  requireDrawable(series, look.title);
  const { points, valueKind } = series;
  const hasBefore = points.some(({ before }) => before !== null);
  const top = hasBefore ? LEGEND : 0;
  const height = top + points.length * ROW + 8;
  const longest = Math.max(...points.flatMap(({ value, before }) => [numberOf(value), numberOf(before)])) || 1;
  const { scaleBand, scaleLinear } = d3Scale();
  const x = scaleLinear()
    .domain([0, longest])
    .range([0, WIDTH - LABELS - VALUES]);
  const y = scaleBand<number>()
    .domain(points.map((_, index) => index))
    .range([top + 4, height - 4])
    .paddingInner(0.3);
  const band = y.bandwidth();
  const bar = (left: number, from: number, width: number, thick: number, fill: string) =>
    `<rect x="${at(left)}" y="${at(from)}" width="${at(width)}" height="${at(thick)}" fill="${fill}"/>`;
  const drawing = points.map(({ key, value, before }, index) => {
    const from = y(index) ?? 0;
    const middle = from + (band * (before === null ? 1 : PARTS.now)) / 2 + 4;
    const thick = band * (before === null ? 1 : PARTS.now);
    return (
      label(LABELS - 10, middle, shortened(key, MOST_NAME), ' text-anchor="end"') +
      bar(LABELS, from, x(numberOf(value)), thick, look.palette.text) +
      (before === null ? "" : bar(LABELS, from + band * (1 - PARTS.before), x(numberOf(before)), band * PARTS.before, EARLIER)) +
      label(LABELS + x(numberOf(value)) + 8, middle, valueText(value, valueKind, look), ' font-weight="600"')
    );
  });
  const legend = hasBefore
    ? bar(LABELS, 4, 12, 12, look.palette.text) +
      label(LABELS + 18, 14, look.words.now) +
      bar(LABELS + 114, 8, 12, 5, EARLIER) +
      label(LABELS + 132, 14, look.words.before)
    : "";
  return framedSvg(height, legend + drawing.join(""), series, look);
}
