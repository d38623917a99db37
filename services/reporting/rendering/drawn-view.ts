import { escapedHtml } from "../../../core/values/text.ts";
import { Markup } from "../../../mixins/documents/engine.ts";
import type { Chart } from "../../../mixins/drawing/svg.ts";
import type { ReportView, TableView } from "./report-view.ts";
import { piecesOf } from "./table-setting.ts";

/** A text whose long words say where they may break. */
const broken = (text: string): Markup =>
  new Markup(
    text
      .split(/(\s+)/u)
      .map((word) => piecesOf(word).map(escapedHtml).join("<wbr>"))
      .join(""),
  );

/** Tables whose cells with long words have `broken`, which shipped designs insert with `markup`. */
const withBreaks = (tables: readonly TableView[]): object[] =>
  tables.map((table) => ({
    ...table,
    rows: table.rows.map((row) => row.map((cell) => (cell.long ? { ...cell, broken: broken(cell.text) } : cell))),
  }));

/** A view whose charts are markup, which designs insert with `markup`. */
const withCharts = (view: ReportView, drawn: (chart: Chart) => string): object => ({
  ...view,
  sections: view.sections.map((section) => ({
    ...section,
    chart: section.chart && new Markup(drawn(section.chart)),
    tables: withBreaks(section.tables),
    parts: section.parts.map((part) => ({ ...part, tables: withBreaks(part.tables) })),
  })),
});

/** Charts as inline SVG, for shipped designs. */
export const inlineCharts = (view: ReportView): object => withCharts(view, ({ svg }) => svg);

/** Charts as images with their text alternative: the form allowed in an organisation's own body. */
export const picturedCharts = (view: ReportView): object =>
  withCharts(view, ({ svg, width, height, alternative }) => {
    const address = `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
    return `<img src="${address}" width="${width}" height="${height}" alt="${escapedHtml(alternative)}">`;
  });
