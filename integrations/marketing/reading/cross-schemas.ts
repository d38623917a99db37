import { answer, field, flag, list, map, Type, uuid } from "../../../core/schema/schema.ts";
import { MarketingCompareWindow, usedPeriod } from "../periods/asked-span.ts";
import { KpiValue } from "../periods/kpi.ts";
import { sourceKey } from "../sources/source-schema.ts";

const company = {
  company_id: { ...uuid(), description: "The client" },
  company_name: Type.String({ description: "Name of the client" }),
};
const span = {
  range_days: Type.Integer({ description: "Days of the resolved span" }),
  period: usedPeriod(),
  compare: MarketingCompareWindow,
};

export const OverviewResponse = answer(
  "OverviewResponse",
  {
    ...span,
    rows: field(
      list(
        answer("OverviewRow", {
          ...company,
          sources_present: field(list(sourceKey("A metric source")), "Linked sources, alphabetically"),
          metrics: map(KpiValue, {
            description:
              "`sessions`, `clicks`, `position`, `cost` and `conversions` of linked, visible sources; several accounts of a source add up",
          }),
          show_key_events: field(flag(), "Whether key events are among the client's figures"),
        }),
      ),
      "Clients with a linked account, in the requested order",
    ),
    total: Type.Integer({ description: "Number of clients with a linked account" }),
  },
  { compare: "The span of the figures and the span it is compared with" },
);

export const MarketingSummary = answer(
  "MarketingSummary",
  {
    ...span,
    rows: field(
      list(
        answer(
          "MarketingSummaryRow",
          {
            ...company,
            metric: Type.String({ description: "The headline: `sessions`, or `clicks` of a client without visits" }),
            kpi: KpiValue,
          },
          { kpi: "Its value in both spans" },
        ),
      ),
      "The first clients, the highest value first",
    ),
    linked_total: Type.Integer({ description: "Number of clients with a linked source, shown or not" }),
  },
  { compare: "The span of the figures and the span it is compared with" },
);

export const MarketingClientList = answer("MarketingClientList", {
  rows: field(
    list(
      answer("MarketingClientRow", {
        ...company,
        sources: field(
          list(
            answer("MarketingClientSource", {
              source: sourceKey("The metric source"),
              links: Type.Integer({ description: "Active links" }),
              state: Type.String({
                description: "The worst of its links: `error`, `pending` before the first synchronisation, or `ok`",
              }),
            }),
          ),
          "Linked sources in the order of display",
        ),
      }),
    ),
    "Clients with a linked source, by name",
  ),
  total: Type.Integer({ description: "Number of clients with a linked source, shown or not" }),
});
