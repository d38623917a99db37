import { answer, field, flag, line, map, nullable, Type, text, uuid } from "../../../core/schema/schema.ts";
import { spanQuery, usedPeriod } from "../periods/asked-span.ts";
import { sourceKey } from "../sources/source-schema.ts";

export const DrilldownRowOut = answer("DrilldownRowOut", {
  label: Type.String({ description: "Subject of the row, such as a page, a query or a campaign" }),
  key: nullable(
    Type.String({
      description: "Raw name behind the label, such as that of an event, or the state of the row; null without one",
    }),
  ),
  href: nullable(Type.String({ description: "Address of the page the row is about; null without one" })),
  metrics: map(Type.Number(), {
    description: "Figures of the span, by the names in `columns`; figures missing at the source are absent",
  }),
});

export const DrilldownResponse = answer("DrilldownResponse", {
  source: sourceKey("Metric source of the link"),
  kind: Type.String({ description: "Kind of drilldown, as requested" }),
  period: usedPeriod(),
  columns: Type.Array(line(), { description: "Names of the figures, in order of display" }),
  rows: Type.Array(DrilldownRowOut, { description: "Rows read from the source; empty if it could not be read" }),
  available: field(flag(), "Whether the source was read, now or within the hour"),
  unavailable_reason: nullable(
    Type.String({ description: "Key of why the source could not be read, such as `marketing.disconnected`; null if it was" }),
  ),
  deep_link: Type.String({ description: "Address of the source's own screen; empty if there is none" }),
});

export const drilldownQuery = {
  link_id: field(uuid(), "Link of this client"),
  kind: text(64, { description: "Kind of drilldown: one that the source has and the client's layout does not hide" }),
  ...spanQuery,
};
