import { scaleBand, scaleLinear } from "d3-scale";
import type { ReportSeries } from "../../../core/declare/report-sections.ts";
import type { Chart, ChartLook } from "./chart.ts";
import { valueText } from "./numbers.ts";
import { AXIS, at, framedSvg, label, requireDrawable, shortened, WIDTH } from "./svg.ts";

const LABELS = 210;
const VALUES = 96;
const ROW = 26;

const numberOf = (value: number | null): number => (value !== null && Number.isFinite(value) ? Math.max(0, value) : 0);

/** Bars of the values, longest possible in the width; the value before is an outline behind. Values below 0 have no length. */
export function barsSvg(series: ReportSeries, look: ChartLook): Chart {
  requireDrawable(series, look.title);
  const { points, valueKind } = series;
  const height = points.length * ROW + 8;
  const longest = Math.max(...points.flatMap(({ value, before }) => [numberOf(value), numberOf(before)])) || 1;
  const x = scaleLinear()
    .domain([0, longest])
    .range([0, WIDTH - LABELS - VALUES]);
  const y = scaleBand<number>()
    .domain(points.map((_, index) => index))
    .range([4, height - 4])
    .paddingInner(0.35);
  const band = y.bandwidth();
  const drawing = points.map(({ key, value, before }, index) => {
    const top = y(index) ?? 0;
    const middle = top + band / 2 + 4;
    const bar = (of: number | null, more: string) =>
      `<rect x="${LABELS}" y="${at(top)}" width="${at(x(numberOf(of)))}" height="${at(band)}" ${more}/>`;
    return (
      label(LABELS - 10, middle, shortened(key), ' text-anchor="end"') +
      bar(value, `fill="${look.palette.text}"`) +
      (before === null ? "" : bar(before, `fill="none" stroke="${AXIS}" stroke-dasharray="3 2"`)) +
      label(
        LABELS + x(Math.max(numberOf(value), numberOf(before))) + 8,
        middle,
        valueText(value, valueKind, look),
        ' font-weight="600"',
      )
    );
  });
  return framedSvg(height, drawing.join(""), series, look);
}
