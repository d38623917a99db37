import { rememberedComparison } from "../../../core/calendar/named-spans.ts";
import { action } from "../../../core/declare/action.ts";
import { report } from "../../../core/declare/makers/report.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { integer, optional, Type } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { askedSpan, compareWindow, spanQuery } from "../periods/asked-span.ts";
import type { Kpi } from "../periods/kpi.ts";
import { keyEventsShown } from "../settings/layout.ts";
import { sources } from "../sources/registry.ts";
import { type Column, CrossTotals, type LinkedClient, linkedClients, listedClients } from "./cross-rows.ts";
import { MarketingClientList, MarketingSummary, OverviewResponse } from "./cross-schemas.ts";

/** The columns of the overview (marketing-ads §2.8). */
const COLUMNS: Readonly<Record<string, Column>> = {
  sessions: { source: "ga4", metric: "sessions" },
  clicks: { source: "gsc", metric: "clicks" },
  position: { source: "gsc", metric: "position" },
  cost: { source: "gads", metric: "cost" },
  conversions: { source: "ga4", metric: "conversions" },
};
/** Candidates for a client's headline figure: the first whose source the client has. */
const HEADLINES: readonly Column[] = [
  { source: "ga4", metric: "sessions" },
  { source: "gsc", metric: "clicks" },
];
/** Default number of clients in a summary and in the list. */
const FIRST = 5;
const LISTED = 200;

const overviewTotals = new CrossTotals(Object.values(COLUMNS));
const headlineTotals = new CrossTotals(HEADLINES);

/** The clients, spans and figures of a read over many clients. */
async function figuresOf(asked: Parameters<typeof askedSpan>[0], totals: CrossTotals) {
  const today = organisationToday();
  const span = askedSpan(asked, today);
  const { clients, defaultCompare } = await linkedClients();
  const compare = compareWindow(span, rememberedComparison(defaultCompare));
  return {
    clients,
    kpi: await totals.read(span, compare.mode, today),
    both: { range_days: span.days, period: span.period, compare },
  };
}

const metricsOf = (client: LinkedClient, kpi: (companyId: string, column: Column) => Kpi): Record<string, Kpi> =>
  Object.fromEntries(
    Object.entries(COLUMNS)
      .filter(([, { source }]) => client.shown.includes(source))
      .map(([name, column]) => [name, kpi(client.company_id, column)]),
  );

/** Sorts rows that arrive in name order. Rows without the metric come last, by name, in both directions; an unknown key sorts by name. */
function sorted<R extends { metrics: Record<string, Kpi> }>(rows: R[], sort: string | undefined): R[] {
  const isDescending = sort?.startsWith("-") ?? false;
  const key = isDescending ? sort?.slice(1) : sort;
  if (key === "company_name") return isDescending ? rows.toReversed() : rows;
  if (key === undefined || !Object.hasOwn(COLUMNS, key)) return rows;
  const [having, lacking] = [rows.filter(({ metrics }) => metrics[key]), rows.filter(({ metrics }) => !metrics[key])];
  const value = ({ metrics }: R) => metrics[key]?.current ?? 0;
  return [...having.toSorted((one, other) => (isDescending ? value(other) - value(one) : value(one) - value(other))), ...lacking];
}

/** Figures of all visible clients, from stored days only (marketing-ads §2.8). */
export default service("marketing.cross", {
  actions: {
    overview: report({
      rest: "GET /marketing/overview",
      summary: "Read the figures of all clients in a grid",
      permission: "marketing.overview.read",
      query: {
        ...spanQuery,
        sort: optional(
          Type.String({
            description:
              "`company_name` (default), `sessions`, `clicks`, `position`, `cost` or `conversions`, with `-` descending; rows without the figure come last",
            "x-sort-keys": ["company_name", "sessions", "clicks", "position", "cost", "conversions"].flatMap((key) => [
              key,
              `-${key}`,
            ]),
          }),
        ),
      },
      returns: OverviewResponse,
      exceptions: { malformed: "marketing-ads §2.8: an unknown sort is the name" },
      async handler(ctx) {
        const { sort, ...asked } = ctx.params;
        const { clients, kpi, both } = await figuresOf(asked, overviewTotals);
        const rows = clients.map((client) => ({
          company_id: client.company_id,
          company_name: client.company_name,
          sources_present: client.present,
          metrics: metricsOf(client, kpi),
          show_key_events: keyEventsShown(sources.values(), client),
        }));
        return { ...both, rows: sorted(rows, sort), total: rows.length };
      },
    }),

    summary: report({
      rest: "GET /marketing/summary",
      summary: "Read the clients with the highest headline figure",
      permission: "marketing.metrics.read",
      query: {
        ...spanQuery,
        limit: optional(integer(1, 20, { default: FIRST, description: "Largest number of clients in the answer" })),
      },
      returns: MarketingSummary,
      async handler(ctx) {
        const { limit = FIRST, ...asked } = ctx.params;
        const { clients, kpi, both } = await figuresOf(asked, headlineTotals);
        const rows = clients.flatMap(({ company_id, company_name, shown }) => {
          const headline = HEADLINES.find(({ source }) => shown.includes(source));
          return headline ? [{ company_id, company_name, metric: headline.metric, kpi: kpi(company_id, headline) }] : [];
        });
        // Clients arrive in name order, which breaks ties.
        const highest = rows.toSorted((one, other) => other.kpi.current - one.kpi.current);
        return { ...both, rows: highest.slice(0, limit), linked_total: clients.length };
      },
    }),

    clients: action({
      rest: "GET /marketing/clients",
      summary: "List the clients with a source linked",
      permission: "marketing.metrics.read",
      query: { limit: optional(integer(1, 500, { default: LISTED, description: "Largest number of clients in the answer" })) },
      returns: MarketingClientList,
      handler: (ctx) => listedClients(ctx.params.limit ?? LISTED),
    }),
  },
});
