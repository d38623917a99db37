import { scaleLinear } from "d3-scale";
import { stack } from "d3-shape";
import type { ReportSeries } from "../../../core/declare/report-sections.ts";
import type { Chart, ChartLook } from "./chart.ts";
import { numberText } from "./numbers.ts";
import { at, framedSvg, label, requireDrawable, shortened, WIDTH } from "./svg.ts";

const BAR = { top: 4, height: 30 };
const LEGEND = { top: 54, row: 20, columns: 2 };
/** Opacities of the parts, from full accent to nearly white; neighbours also differ in greyscale. */
const OPACITIES = [1, 0.45, 0.75, 0.25, 0.6, 0.12];

const numberOf = (value: number | null): number => (value !== null && Number.isFinite(value) ? Math.max(0, value) : 0);

/** Shares of a whole as one stacked bar, with a legend of all names and percentages. */
export function shareSvg(series: ReportSeries, look: ChartLook): Chart {
  requireDrawable(series, look.title);
  const { points } = series;
  const values = Object.fromEntries(points.map(({ value }, index) => [String(index), numberOf(value)]));
  const sum = Object.values(values).reduce((total, value) => total + value, 0);
  if (sum === 0) throw new Error(`nothing to draw in '${look.title}'`);
  const x = scaleLinear().domain([0, sum]).range([0, WIDTH]);
  const opacity = (index: number) => OPACITIES[index % OPACITIES.length];
  const swatch = (index: number) =>
    `fill="${look.palette.text}" fill-opacity="${opacity(index)}" stroke="${look.palette.text}" stroke-width="0.75"`;
  const layers = stack<Record<string, number>>().keys(Object.keys(values))([values]);
  const parts = layers.map(([span], index) => {
    const [from, to] = [x(span?.[0] ?? 0), x(span?.[1] ?? 0)];
    return `<rect x="${at(from)}" y="${BAR.top}" width="${at(to - from)}" height="${BAR.height}" ${swatch(index)}/>`;
  });
  const names = points.map(({ key, value }, index) => {
    const left = (index % LEGEND.columns) * (WIDTH / LEGEND.columns);
    const top = LEGEND.top + Math.floor(index / LEGEND.columns) * LEGEND.row;
    const percentage = `${numberText((numberOf(value) / sum) * 100, look.locale, 1)}%`;
    return (
      `<rect x="${at(left + 0.5)}" y="${top - 10}" width="12" height="12" ${swatch(index)}/>` +
      label(left + 20, top, shortened(key)) +
      label(left + WIDTH / LEGEND.columns - 24, top, percentage, ' text-anchor="end" font-weight="600"')
    );
  });
  const height = LEGEND.top + Math.ceil(points.length / LEGEND.columns) * LEGEND.row - 6;
  return framedSvg(height, [...parts, ...names].join(""), series, look);
}
