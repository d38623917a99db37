import {
  answer,
  choice,
  field,
  flag,
  IN_HEADER,
  input,
  integer,
  json,
  line,
  list,
  map,
  nullable,
  optional,
  optionalAll,
  shownAs,
  type TProperties,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";
import { REPORT_SPLITS } from "../../../mixins/report-sections/report-split.ts";
import { comparePeriod } from "../periods/asked-span.ts";
import { RANKING_SOURCES } from "../ranking-settings.ts";
import { sourceKey } from "../sources/source-schema.ts";
import { LONGEST_LABEL } from "./layout.ts";

const SOURCE =
  "`auto`: SE Ranking if linked, else Search Console; `seranking`, `search_console`: that one if linked; `off`: no keywords";
const rankings = {
  source: choice(RANKING_SOURCES, { description: SOURCE }),
  limit: integer(1, 200, { description: "Most keywords that are shown" }),
  min_impressions: integer(0, 10_000, { description: "Fewest impressions of a keyword that is shown; only for Search Console" }),
  max_position: integer(3, 100, { description: "Last position that counts as ranking" }),
  grouped: field(flag(), "Whether keywords are shown by their groups"),
  show_landing_pages: field(flag(), "Whether the page that ranks is shown"),
};
const report = {
  split: choice(REPORT_SPLITS, { description: "`per_website`: one part for each website; `combined`: all in one" }),
  exclude: field(
    list(uuid()),
    "Links that reports leave out; only a client's settings have them, those of the organisation are empty",
  ),
};
const sent = <P extends TProperties>(properties: P) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      optional(field(nullable(schema), `${(schema as { description?: string }).description}; null returns to the next rule`)),
    ]),
  ) as { [Name in keyof P]: ReturnType<typeof optional<ReturnType<typeof nullable<P[Name]>>>> };

export const RankingSettingsRead = answer("RankingSettingsRead", rankings);
export const ReportSplitSettingsRead = answer("ReportSplitSettingsRead", report);
export const RankingSettingsWrite = input("RankingSettingsWrite", sent(rankings));
export const ReportSplitSettingsWrite = input("ReportSplitSettingsWrite", sent(report));

const secret = () => nullable(line({ pattern: IN_HEADER, maxLength: 1024, writeOnly: true }));

const DEFAULT_COMPARE = "What figures are compared with, for clients without their own rule";
export const MarketingSettingsRead = answer(
  "MarketingSettingsRead",
  {
    ads_developer_token_configured: field(flag(), "Whether a developer token of advertising is stored here and can be decrypted"),
    env_ads_token_configured: field(flag(), "Whether the installation has a developer token for organisations without one"),
    seranking_api_key_configured: field(flag(), "Whether a key of SE Ranking is stored and can be decrypted"),
    default_compare: comparePeriod(DEFAULT_COMPARE),
    rankings: RankingSettingsRead,
    report: ReportSplitSettingsRead,
  },
  { rankings: "Which rankings are shown, resolved", report: "How a report is split, resolved" },
);
export const MarketingSettingsWrite = input(
  "MarketingSettingsWrite",
  {
    ads_developer_token: optional(
      field(
        secret(),
        "Developer token of advertising, used if the advertising settings have none; absent, null or empty keeps the stored one",
      ),
    ),
    seranking_api_key: optional(field(secret(), "Key of SE Ranking; absent, null or empty keeps the stored one")),
    default_compare: optional(nullable(comparePeriod(`${DEFAULT_COMPARE}; null returns to \`year\``))),
    rankings: optional(nullable(RankingSettingsWrite)),
    report: optional(nullable(ReportSplitSettingsWrite)),
  },
  {
    rankings: "Ranking settings to merge into the stored ones; null returns to the built-in ones, absent leaves them unchanged",
    report: "Report settings to merge into the stored ones; null returns to the built-in ones, absent leaves them unchanged",
  },
);

export const LinkBrief = answer("LinkBrief", {
  id: { ...uuid(), description: "The link" },
  source: sourceKey("The metric source"),
  display_name: Type.String({ description: "Name of the account at the source" }),
});

const LAYOUT = "Curated tab, by source; an unknown key is refused";
const texts = (description: string) =>
  nullable(map(map(line({ maxLength: LONGEST_LABEL }), { description: "Text by language, `nl` and `en`" }), { description }));
const SourceLayout = Type.Object(
  optionalAll({
    tiles: nullable(field(list(line()), "Metrics that are shown, in this order; null for all of them")),
    labels: texts(`Labels by metric, at most ${LONGEST_LABEL} characters; null for the built-in ones`),
    drilldowns: nullable(field(list(line()), "Kinds of drilldowns that are shown, in this order; null for all of them")),
    chart_metric: nullable(line({ description: "Metric of the chart; null for the first tile" })),
    event_labels: texts("With Analytics: labels by event, at most 50 events; null for their own names"),
    hidden: nullable(field(flag(), "Whether the source is hidden; null for no")),
  }),
  { $id: "MarketingSourceLayout", additionalProperties: false, description: "How one source is shown" },
);
const MarketingLayout = Type.Object(
  { sources: optional(map(SourceLayout, { description: "What differs from the defaults, by source" })) },
  {
    $id: "MarketingLayout",
    additionalProperties: false,
    description: "A curated tab. Metrics and kinds of drilldowns are those of the source",
  },
);
const layout = (description: string) => nullable(shownAs(json({ description }), MarketingLayout));
const SHOW_KEY_EVENTS = "Whether key events are among the figures";
export const CompanySettingsRead = answer(
  "CompanySettingsRead",
  {
    company_id: { ...uuid(), description: "The client" },
    show_key_events: field(flag(), SHOW_KEY_EVENTS),
    layout: layout(`${LAYOUT}; null: everything is shown. Hidden sources are left out for callers who manage no links`),
    compare: nullable(comparePeriod("The client's own comparison; null: the organisation's")),
    compare_resolved: comparePeriod("The comparison that counts for the client"),
    rankings: nullable(json({ description: "The client's own ranking settings; null: the organisation's" })),
    rankings_resolved: RankingSettingsRead,
    linked_sources: field(list(sourceKey("A metric source")), "Sources with an active link, in the order of display"),
    keyword_source: nullable(
      choice(RANKING_SOURCES, { description: "Where keyword rankings are read: `seranking` or `search_console`; null: nowhere" }),
    ),
    report: nullable(json({ description: "The client's own report settings; null: the organisation's" })),
    report_resolved: ReportSplitSettingsRead,
    links: field(list(LinkBrief), "Active links, in the order of display, then by name"),
  },
  { rankings_resolved: "The rankings in force for the client", report_resolved: "The split of reports in force for the client" },
);
export const CompanySettingsUpdate = input(
  "CompanySettingsUpdate",
  {
    show_key_events: optional(
      nullable(
        field(flag(), `${SHOW_KEY_EVENTS}; adds them to curated tiles or removes them there. Null leaves them as they are`),
      ),
    ),
    layout: optional(layout(`${LAYOUT}. Replaces the stored one; null or no sources clears it`)),
    compare: optional(nullable(comparePeriod("The client's own comparison; null returns to the organisation's"))),
    rankings: optional(nullable(RankingSettingsWrite)),
    report: optional(nullable(ReportSplitSettingsWrite)),
  },
  {
    rankings: "Ranking settings to merge into the client's own; null returns to the organisation's, absent leaves them unchanged",
    report: "Report settings to merge into the client's own; null returns to the organisation's, absent leaves them unchanged",
  },
);
