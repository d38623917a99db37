import { escapedHtml } from "../../../core/values/text.ts";
import { Markup } from "../../../mixins/documents/engine.ts";
import type { Chart } from "../drawing/chart.ts";
import type { ReportView } from "./report-view.ts";

/** A view whose charts are markup, as designs put them in with `markup`. */
const withCharts = (view: ReportView, drawn: (chart: Chart) => string): object => ({
  ...view,
  sections: view.sections.map((section) => ({
    ...section,
    chart: section.chart && new Markup(drawn(section.chart)),
  })),
});

/** Charts as they are: for shipped designs. */
export const inlineCharts = (view: ReportView): object => withCharts(view, ({ svg }) => svg);

/** Charts as pictures with their text alternative: what a body of an organisation's own may hold. */
export const picturedCharts = (view: ReportView): object =>
  withCharts(view, ({ svg, width, height, alternative }) => {
    const address = `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
    return `<img src="${address}" width="${width}" height="${height}" alt="${escapedHtml(alternative)}">`;
  });
