import type { ReportSeries } from "../../core/declare/report-sections.ts";
import { d3Scale, d3Shape } from "./d3.ts";
import { HATCHES, hatched } from "./hatching.ts";
import { numberText } from "./numbers.ts";
import { at, type Chart, type ChartLook, framedSvg, label, requireDrawable, shortened, WIDTH } from "./svg.ts";

const BAR = { top: 4, height: 30 };
const LEGEND = { top: 54, row: 20, columns: 2 };
/** Opacities of the parts, from full accent to nearly white; neighbours also differ in greyscale. */
const OPACITIES = [1, 0.45, 0.75, 0.25, 0.6, 0.12];
/** Most named parts, as many as the rows of a table (workspace-reporting §1.6); one more part has the others. Fewer than there are fills. */
const MOST_PARTS = 25;

type Part = Pick<ReportSeries["points"][number], "key" | "value">;

const numberOf = (value: number | null): number => (value !== null && Number.isFinite(value) ? Math.max(0, value) : 0);

/** The parts to draw: the points, those after the 25th added up. */
function partsOf(points: readonly Part[], other: string): readonly Part[] {
  if (points.length <= MOST_PARTS + 1) return points;
  const value = points.slice(MOST_PARTS).reduce((sum, point) => sum + numberOf(point.value), 0);
  return [...points.slice(0, MOST_PARTS), { key: other, value }];
}

/** Shares of a whole as one stacked bar, with a legend of all names and percentages. No two parts have the same fill, also in greyscale. */
export function shareSvg(series: ReportSeries, look: ChartLook): Chart {
  requireDrawable(series, look.title);
  const points = partsOf(series.points, look.words.other);
  const values = Object.fromEntries(points.map(({ value }, index) => [String(index), numberOf(value)]));
  const sum = Object.values(values).reduce((total, value) => total + value, 0);
  if (sum === 0) throw new Error(`nothing to draw in '${look.title}'`);
  const x = d3Scale().scaleLinear().domain([0, sum]).range([0, WIDTH]);
  const colour = look.palette.text;
  const filled = (index: number, left: number, top: number, width: number, height: number) => {
    const opacity = OPACITIES[index % OPACITIES.length] ?? 1;
    const hatch = HATCHES[Math.floor(index / OPACITIES.length)] ?? null;
    return (
      `<rect x="${at(left)}" y="${at(top)}" width="${at(width)}" height="${at(height)}" fill="${colour}" fill-opacity="${opacity}" stroke="${colour}" stroke-width="0.75"/>` +
      (hatch ? hatched(hatch, { left, top, width, height }, opacity > 0.5 ? "#ffffff" : colour) : "")
    );
  };
  const layers = d3Shape().stack<Record<string, number>>().keys(Object.keys(values))([values]);
  const parts = layers.map(([span], index) => {
    const [from, to] = [x(span?.[0] ?? 0), x(span?.[1] ?? 0)];
    return filled(index, from, BAR.top, to - from, BAR.height);
  });
  const names = points.map(({ key, value }, index) => {
    const left = (index % LEGEND.columns) * (WIDTH / LEGEND.columns);
    const top = LEGEND.top + Math.floor(index / LEGEND.columns) * LEGEND.row;
    const percentage = `${numberText((numberOf(value) / sum) * 100, look.locale, 1)}%`;
    return (
      filled(index, left + 0.5, top - 10, 12, 12) +
      label(left + 20, top, shortened(key)) +
      label(left + WIDTH / LEGEND.columns - 24, top, percentage, ' text-anchor="end" font-weight="600"')
    );
  });
  const height = LEGEND.top + Math.ceil(points.length / LEGEND.columns) * LEGEND.row - 6;
  return framedSvg(height, [...parts, ...names].join(""), series, look);
}
