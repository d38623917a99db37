import { answer, date, field, flag, instant, json, list, map, nullable, Type, uuid } from "../../../core/schema/schema.ts";
import { ConnectionOwner } from "../links/link-schemas.ts";
import { comparePeriod, MarketingCompareWindow, usedPeriod } from "../periods/asked-span.ts";
import { KpiValue, missingFields } from "../periods/kpi.ts";
import { sourceKey } from "../sources/source-schema.ts";

const names = (description: string) => field(list(Type.String()), description);

export const SeriesData = answer("SeriesData", {
  dates: field(list(date()), "Every day of the span, in the organisation's zone"),
  metrics: map(list(Type.Number()), { description: "By metric a value for each of `dates`; 0 if there is none" }),
  missing: field(
    list(date()),
    "Those of `dates` that the source was never read for, or does not have yet: a chart has a gap there, in place of 0",
  ),
});

const HEALTH =
  "`disconnected`: the grant it is read with is gone or refused; `error`: the last synchronisation failed; `pending`: no figures yet; `ok`";
export const SourceMetrics = answer(
  "SourceMetrics",
  {
    link_id: { ...uuid(), description: "The link that the figures are read through" },
    source: sourceKey("The metric source"),
    display_name: Type.String({ description: "Name of the account at the source" }),
    external_id: Type.String({ description: "Id of the account at the source" }),
    website_id: nullable(field(uuid(), "The website it is about; null: all of the client's")),
    website_name: nullable(Type.String({ description: "Name of that website; null without one" })),
    health: Type.String({ description: HEALTH }),
    last_error: nullable(Type.String({ description: "Translation key of the last failure; null after a success" })),
    last_synced_at: nullable(field(instant(), "Last successful synchronisation, UTC; null before the first")),
    connection_owner: nullable(ConnectionOwner),
    currency: nullable(Type.String({ description: "ISO 4217 currency of amounts; null if there are none" })),
    deep_link: Type.String({ description: "Address of the source's own screen; empty if it has none" }),
    data_until: nullable(
      field(date(), "Last day counted in `kpis`: a late source is counted up to the day it has; null if no day is"),
    ),
    ...missingFields,
    primary_metric: Type.String({ description: "The metric of the chart; empty if no tile is shown" }),
    kpis: map(KpiValue, { description: "By metric of `tiles` its value in both spans" }),
    series: SeriesData,
    channels: nullable(map(Type.Number(), { description: "Sessions by channel; null of a source without channels" })),
    tiles: names("Metrics that are shown, in their order"),
    tile_labels: map(map(Type.String()), { description: "By metric its name by language, if the client has its own" }),
    drilldowns: names("Kinds of drilldown that are offered"),
    hidden: field(flag(), "Whether only members who manage links see it"),
  },
  {
    connection_owner:
      "The colleague whose grant it is read with; null for sources that are read with a key, and for client logins",
    series: "Values by day",
  },
);

export const WebsiteRef = answer("WebsiteRef", {
  id: { ...uuid(), description: "The website" },
  name: Type.String({ description: "Name of the website" }),
});

export const CompanyMarketing = answer(
  "CompanyMarketing",
  {
    company_id: { ...uuid(), description: "The client" },
    range_days: Type.Integer({ description: "Days of the resolved span" }),
    period: usedPeriod(),
    compare: MarketingCompareWindow,
    compare_setting: nullable(
      comparePeriod("The client's own comparison, for callers who manage links; null for others or if none is set"),
    ),
    compare_default: comparePeriod("The organisation's comparison"),
    sources: field(list(SourceMetrics), "Active links in the order of display, then by name"),
    needs_connection: field(flag(), "Whether no colleague has a working connection"),
    can_manage: field(flag(), "Whether the caller manages links"),
    show_key_events: field(flag(), "Whether key events are among the figures"),
    layout: nullable(json({ description: "The curated tab, for callers who manage links; null for others or if none is set" })),
    websites: field(list(WebsiteRef), "Websites of the client, by name"),
    narrative: nullable(
      json({
        description:
          "Words of the client's newest published report: `report_id`, `period_start`, `period_end`, `published_at` (UTC), and `texts` by key of the section; null without one, and for callers who may not read reports",
      }),
    ),
  },
  { compare: "The span of the figures and the span it is compared with" },
);
