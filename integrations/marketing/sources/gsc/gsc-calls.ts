import { addDays, daysInclusive, isDate } from "../../../../core/calendar/calendar.ts";
import type { MarketingLinkRow } from "../../models.ts";
import { listIn, readGoogle, requireNotPaused, textIn, unreadable } from "../google-grant.ts";
import type {
  DrilldownRow,
  RankedKeyword,
  RankingRules,
  RankingSpans,
  SourceAccess,
  SourceAccount,
  SourceCalls,
  SourceDay,
  Span,
} from "../source.ts";
import { keywordRows, type Movement, movements, type QueryRow } from "./gsc-rankings.ts";

const METRICS = ["clicks", "impressions", "ctr", "position"] as const;
const DAILY_ROWS = 1000;
const TOP_ROWS = 10;
const MOVER_ROWS = 250;
const UNVERIFIED = /^site_?unverified_?user$/i;

type Reading = Pick<MarketingLinkRow, "external_id" | "paused_until">;

interface SiteRow {
  name: string;
  metrics: Record<(typeof METRICS)[number], number>;
}

async function accounts(access: SourceAccess): Promise<SourceAccount[]> {
  const read = { api: "searchConsole", operation: "sites.list" } as const;
  const answer = await readGoogle(access, read, (client) => client.sites.list());
  return listIn(answer.siteEntry, "siteEntry").flatMap((site) => {
    const address = textIn(site["siteUrl"], "siteUrl");
    const permissionLevel = textIn(site["permissionLevel"], "permissionLevel");
    if (UNVERIFIED.test(permissionLevel)) return [];
    const domain = /^sc-domain:(.+)$/.exec(address)?.[1];
    const siteType = domain === undefined ? "url_prefix" : "domain";
    return [{ external_id: address, display_name: domain ?? address, account_hint: null, config: { siteType, permissionLevel } }];
  });
}

/** Reads a site's days, queries or pages. @throws SourceFailure */
async function askSite(access: SourceAccess, link: Reading, dimension: string, span: Span, rowLimit: number): Promise<SiteRow[]> {
  requireNotPaused(link);
  const { external_id: siteUrl } = link;
  const read = { api: "searchConsole", operation: "searchanalytics.query", about: siteUrl } as const;
  const requestBody = { startDate: span.from, endDate: span.to, dimensions: [dimension], rowLimit };
  const answer = await readGoogle(access, read, (client) => client.searchanalytics.query({ siteUrl, requestBody }));
  return listIn(answer.rows, "rows").map((row) => {
    const { keys } = row;
    const [name, another] = Array.isArray(keys) ? keys : [];
    if (typeof name !== "string" || another !== undefined) throw unreadable("a row of Search Console has no key");
    const metrics = METRICS.map((metric) => {
      const value = row[metric];
      if (typeof value !== "number" || !Number.isFinite(value)) throw unreadable(`${metric} of Search Console is not a number`);
      return [metric, value] as const;
    });
    return { name, metrics: Object.fromEntries(metrics) as SiteRow["metrics"] };
  });
}

/** Days are in Pacific time, as in Search Console. */
async function days(access: SourceAccess, link: Reading, span: Span) {
  const rows = await askSite(access, link, "date", span, DAILY_ROWS);
  const found: SourceDay[] = rows.map(({ name, metrics }) => {
    if (!isDate(name) || name < span.from || name > span.to)
      throw unreadable("Search Console returned a day that was not requested");
    return { day: name, metrics };
  });
  return { days: found, isComplete: true as const };
}

/** The span of equal length just before. */
const before = ({ from, to }: Span): Span => ({ from: addDays(from, -daysInclusive(from, to)), to: addDays(from, -1) });

const asQueries = (rows: readonly SiteRow[]): QueryRow[] => rows.map(({ name, metrics }) => ({ query: name, ...metrics }));

const moved = ({ query, position, position_change, clicks }: Movement): DrilldownRow => ({
  label: query,
  key: query,
  href: null,
  metrics: { position, position_change, clicks },
});

const WEB = /^https?:\/\//i;

async function drilldown(access: SourceAccess, link: Reading, kind: string, span: Span): Promise<DrilldownRow[]> {
  if (kind === "movers") {
    const now = await askSite(access, link, "query", span, MOVER_ROWS);
    const then = await askSite(access, link, "query", before(span), MOVER_ROWS);
    return movements(asQueries(now), asQueries(then)).map(moved);
  }
  const isPages = kind === "top_pages";
  const rows = await askSite(access, link, isPages ? "page" : "query", span, TOP_ROWS);
  return rows.map(({ name, metrics }) => ({
    label: name,
    key: name,
    href: isPages && WEB.test(name) ? name : null,
    metrics,
  }));
}

/** A client's keywords in a report's span and its comparison span. */
async function rankings(
  access: SourceAccess,
  link: Reading,
  { current, previous }: RankingSpans,
  rules: RankingRules,
): Promise<RankedKeyword[]> {
  const rowLimit = Math.max(4 * rules.limit, 100);
  const now = await askSite(access, link, "query", current, rowLimit);
  const then = await askSite(access, link, "query", previous, rowLimit);
  return keywordRows(asQueries(now), asQueries(then), rules);
}

export const calls: SourceCalls = { accounts, days, drilldown, rankings };
