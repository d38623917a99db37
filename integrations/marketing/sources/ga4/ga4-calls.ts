import { isDate } from "../../../../core/calendar/calendar.ts";
import type { MarketingLinkRow } from "../../models.ts";
import { listIn, readGoogle, requireNotPaused, textIn, unreadable } from "../google-grant.ts";
import {
  type DrilldownRow,
  type SourceAccess,
  type SourceAccount,
  type SourceCalls,
  type SourceDay,
  type SourceDays,
  SourceFailure,
  type Span,
} from "../source.ts";
import { askProperty, type Report, type ReportQuestion, type ReportRow, requireMore } from "./ga4-report.ts";

const DAILY = ["sessions", "totalUsers", "newUsers", "keyEvents", "engagementRate", "totalRevenue"] as const;
const ACCOUNTS_PAGE = 200;
/** Most date ranges of one report. */
const RANGES = 4;
/** Label of a channel without a name. `(other)` and `Unassigned` are separate channels. */
const NAMELESS = "Other";

type Reading = Pick<MarketingLinkRow, "external_id" | "paused_until">;

/** Parses `YYYYMMDD`. @throws SourceFailure if the day is not in the span */
function dayIn(value: string, { from, to }: Span): string {
  const day = value.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3");
  if (!isDate(day) || day < from || day > to) throw unreadable("a report has a day that was not requested");
  return day;
}

async function accounts(access: SourceAccess): Promise<SourceAccount[]> {
  const found: SourceAccount[] = [];
  const seen = new Set<string>();
  let pageToken: string | undefined;
  do {
    const read = { api: "analyticsAdmin", operation: "accountSummaries.list" } as const;
    const answer = await readGoogle(access, read, (client) =>
      client.accountSummaries.list({ pageSize: ACCOUNTS_PAGE, ...(pageToken !== undefined && { pageToken }) }),
    );
    for (const account of listIn(answer.accountSummaries, "accountSummaries"))
      for (const property of listIn(account["propertySummaries"], "propertySummaries")) {
        const id = textIn(property["property"], "property");
        found.push({
          external_id: id,
          display_name:
            typeof property["displayName"] === "string" && property["displayName"] !== "" ? property["displayName"] : id,
          account_hint: typeof account["displayName"] === "string" ? account["displayName"] : null,
          config: { propertyType: property["propertyType"] ?? null },
        });
      }
    pageToken = answer.nextPageToken || undefined;
    if (pageToken !== undefined && seen.has(pageToken)) throw unreadable("the same page token came twice");
    if (pageToken !== undefined) seen.add(pageToken);
  } while (pageToken !== undefined);
  return found;
}

function channelsByDay(rows: readonly ReportRow[], span: Span): Map<string, Record<string, number>> {
  const days = new Map<string, Record<string, number>>();
  for (const { dimensions, metrics } of rows) {
    const day = dayIn(dimensions[0] as string, span);
    const channel = dimensions[1] || NAMELESS;
    const channels = days.get(day) ?? {};
    channels[channel] = (channels[channel] ?? 0) + (metrics[0] as number);
    days.set(day, channels);
  }
  return days;
}

/** The days without channels; those need a separate report. */
function daysOf({ rows }: Report, span: Span): SourceDay[] {
  return rows.map(({ dimensions, metrics }) => ({
    day: dayIn(dimensions[0] as string, span),
    metrics: Object.fromEntries(DAILY.map((name, index) => [name, metrics[index] as number])),
  }));
}

async function days(access: SourceAccess, link: Reading, span: Span): Promise<SourceDays> {
  requireNotPaused(link);
  const spans = [span];
  const daily = await askProperty(access, link, { spans, dimensions: ["date"], metrics: DAILY });
  const found = daysOf(daily, span);
  const answered = { currency: daily.currency, isComplete: true } as const;
  try {
    requireMore(daily);
    const dimensions = ["date", "sessionDefaultChannelGroup"];
    const split = await askProperty(access, link, { spans, dimensions, metrics: ["sessions"] });
    const channels = channelsByDay(split.rows, span);
    const whole = found.map((one) => ({ ...one, channels: channels.get(one.day) ?? {} }));
    return { ...answered, days: whole, pausedUntil: split.pausedUntil };
  } catch (failure) {
    if (!(failure instanceof SourceFailure)) throw failure;
    return { ...answered, days: found, failure };
  }
}

const SOURCE_METRICS = [
  "sessions",
  "newUsers",
  "totalUsers",
  "screenPageViews",
  "userEngagementDuration",
  "engagementRate",
  "keyEvents",
];
const bySource = (group: string): Drilldown => ({
  dimension: "sessionSource",
  metrics: SOURCE_METRICS,
  limit: 25,
  only: { dimension: "sessionDefaultChannelGroup", value: group },
});

interface Drilldown extends Pick<ReportQuestion, "metrics" | "only"> {
  dimension: string;
  limit: number;
  /** Drops rows whose first metric is 0. */
  dropsZeros?: true;
}

const DRILLDOWNS: Readonly<Record<string, Drilldown>> = {
  top_pages: { dimension: "pagePath", metrics: ["screenPageViews", "sessions"], limit: 10 },
  channels: { dimension: "sessionDefaultChannelGroup", metrics: ["sessions", "keyEvents"], limit: 10 },
  devices: { dimension: "deviceCategory", metrics: ["sessions"], limit: 10 },
  key_events: { dimension: "eventName", metrics: ["keyEvents"], limit: 50, dropsZeros: true },
  organic_sources: bySource("Organic Search"),
  social_sources: bySource("Organic Social"),
  referral_sources: bySource("Referral"),
};

async function drilldown(access: SourceAccess, link: Reading, kind: string, span: Span): Promise<DrilldownRow[]> {
  requireNotPaused(link);
  const { dimension, metrics, limit, only, dropsZeros } = DRILLDOWNS[kind] as Drilldown;
  const { rows } = await askProperty(access, link, {
    spans: [span],
    dimensions: [dimension],
    metrics,
    limit,
    isRanked: true,
    ...(only && { only }),
  });
  return rows
    .filter(({ metrics: [first] }) => !dropsZeros || first !== 0)
    .map(({ dimensions: [name = ""], metrics: values }) => ({
      label: name || NAMELESS,
      key: name || null,
      href: null,
      metrics: Object.fromEntries(metrics.map((metric, index) => [metric, values[index] as number])),
    }));
}

/** Visitors of whole spans, four spans per report. A span without visitors has no row. */
async function periodValues(access: SourceAccess, link: Reading, spans: readonly Span[]) {
  requireNotPaused(link);
  const values: Record<string, number>[] = [];
  for (let at = 0; at < spans.length; at += RANGES) {
    const some = spans.slice(at, at + RANGES);
    const report = await askProperty(access, link, { spans: some, dimensions: [], metrics: ["totalUsers"] });
    if (at + RANGES < spans.length) requireMore(report);
    const names = new Map(report.rows.map(({ dimensions: [name = "span0"], metrics: [users = 0] }) => [name, users]));
    values.push(...some.map((_, index) => ({ totalUsers: names.get(`span${index}`) ?? 0 })));
  }
  return values;
}

export const calls: SourceCalls = { accounts, days, drilldown, periodValues };
