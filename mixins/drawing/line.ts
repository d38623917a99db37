import type { ReportSeries } from "../../core/declare/report-sections.ts";
import { d3Scale, d3Shape } from "./d3.ts";
import { valueText } from "./numbers.ts";
import { AXIS, at, type Chart, type ChartLook, framedSvg, GRID, label, requireDrawable, shortened, WIDTH } from "./svg.ts";

const HEIGHT = 210;
const PLOT = { top: 30, right: 14, bottom: 182, left: 64 };
/** Most labels below the axis. */
const MOST_TICKS = 7;

const isNumber = (value: number | null): value is number => value !== null && Number.isFinite(value);

/** A line of the values, and a dashed one of the earlier values; points without a number are gaps. */
export function lineSvg(series: ReportSeries, look: ChartLook): Chart {
  requireDrawable(series, look.title);
  const { points, valueKind } = series;
  const values = points.flatMap(({ value, before }) => [value, before]).filter(isNumber);
  const { scaleLinear, scalePoint } = d3Scale();
  const { line } = d3Shape();
  const y = scaleLinear()
    .domain([Math.min(0, ...values), Math.max(...values) || 1])
    .nice(4)
    .range([PLOT.bottom, PLOT.top]);
  const x = scalePoint<number>()
    .domain(points.map((_, index) => index))
    .range([PLOT.left, WIDTH - PLOT.right]);
  const xAt = (index: number) => x(index) ?? PLOT.left;
  const path = (of: "value" | "before") =>
    line<(typeof points)[number]>()
      .defined((point) => isNumber(point[of]))
      .x((_, index) => xAt(index))
      .y((point) => y(point[of] as number))
      .digits(2)([...points]) ?? "";
  const grid = y
    .ticks(4)
    .filter((tick) => valueKind !== "count" || Number.isInteger(tick))
    .map(
      (tick) =>
        `<line x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${at(y(tick))}" y2="${at(y(tick))}" stroke="${GRID}"/>` +
        label(PLOT.left - 8, y(tick) + 4, valueText(tick, valueKind, look), ' text-anchor="end"'),
    );
  const step = Math.max(1, Math.ceil((points.length - 1) / (MOST_TICKS - 1)));
  const ticks = points.flatMap(({ key }, index) => {
    if (index % step !== 0) return [];
    const anchor = points.length === 1 ? "middle" : index === 0 ? "start" : index === points.length - 1 ? "end" : "middle";
    return label(xAt(index), PLOT.bottom + 18, shortened(key, 14), ` text-anchor="${anchor}"`);
  });
  const hasBefore = points.some(({ before }) => isNumber(before));
  // A line of one point has no length, so it gets a dot.
  const dots = (of: "value" | "before", style: string) =>
    points.flatMap((point, index) => {
      const value = point[of];
      const isAlone = !isNumber(points[index - 1]?.[of] ?? null) && !isNumber(points[index + 1]?.[of] ?? null);
      return isNumber(value) && isAlone ? `<circle cx="${at(xAt(index))}" cy="${at(y(value))}" r="3" ${style}/>` : [];
    });
  const drawing = [
    ...grid,
    ...ticks,
    hasBefore ? `<path d="${path("before")}" fill="none" stroke="${AXIS}" stroke-width="1.25" stroke-dasharray="4 3"/>` : "",
    `<path d="${path("value")}" fill="none" stroke="${look.palette.text}" stroke-width="2.25" stroke-linejoin="round"/>`,
    ...dots("before", `fill="#ffffff" stroke="${AXIS}" stroke-dasharray="2 1.5"`),
    ...dots("value", `fill="${look.palette.text}"`),
    legend(look, hasBefore),
  ];
  return framedSvg(HEIGHT, drawing.join(""), series, look);
}

/** The legend distinguishes the lines by stroke, not only by colour. */
function legend({ palette, words }: ChartLook, hasBefore: boolean): string {
  if (!hasBefore) return "";
  const sample = (x: number, stroke: string) => `<line x1="${x}" x2="${x + 22}" y1="12" y2="12" ${stroke}/>`;
  return (
    sample(PLOT.left, `stroke="${palette.text}" stroke-width="2.25"`) +
    label(PLOT.left + 28, 16, words.now) +
    sample(PLOT.left + 124, `stroke="${AXIS}" stroke-width="1.25" stroke-dasharray="4 3"`) +
    label(PLOT.left + 152, 16, words.before)
  );
}
