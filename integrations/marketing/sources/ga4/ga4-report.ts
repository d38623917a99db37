import { shortened } from "../../../../core/values/stored-text.ts";
import type { analyticsdata_v1beta } from "../../../../mixins/google/apis.ts";
import type { MarketingLinkRow } from "../../models.ts";
import { QUOTA_USED_UP } from "../failures.ts";
import { listIn, nextPacificDay, readGoogle, textIn, unreadable } from "../google-grant.ts";
import { type SourceAccess, SourceFailure, type Span } from "../source.ts";

type Request = analyticsdata_v1beta.Schema$RunReportRequest;

/** One report request to a property. */
export interface ReportQuestion {
  /** At most four. With several, the first dimension of each row is the span's name: `span0`, `span1` …. */
  spans: readonly Span[];
  dimensions: readonly string[];
  metrics: readonly string[];
  limit?: number;
  /** Sorts by the first metric, descending. */
  isRanked?: true;
  /** Keeps only rows with exactly this dimension value. */
  only?: { dimension: string; value: string };
}

export interface ReportRow {
  dimensions: string[];
  metrics: number[];
}

/** A property's report. */
export interface Report {
  rows: ReportRow[];
  /** ISO 4217; null if the property has none. */
  currency: string | null;
  /** When the quota resets, if this answer used up the quota of the day; null otherwise. */
  pausedUntil: string | null;
}

/** Most rows that Analytics returns at once. */
const MOST_ROWS = 250_000;
const PROPERTY = /^properties\/\d+$/;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

const requestOf = ({ spans, dimensions, metrics, limit = MOST_ROWS, isRanked, only }: ReportQuestion): Request => ({
  dateRanges: spans.map(({ from, to }, index) => ({
    startDate: from,
    endDate: to,
    ...(spans.length > 1 && { name: `span${index}` }),
  })),
  dimensions: dimensions.map((name) => ({ name })),
  metrics: metrics.map((name) => ({ name })),
  limit: String(limit),
  returnPropertyQuota: true,
  ...(isRanked && { orderBys: [{ metric: { metricName: metrics[0] as string }, desc: true }] }),
  ...(only && {
    dimensionFilter: { filter: { fieldName: only.dimension, stringFilter: { matchType: "EXACT", value: only.value } } },
  }),
});

const valuesIn = (value: unknown, what: string): string[] => listIn(value, what).map((one) => textIn(one["value"], what));

function rowIn(row: Record<string, unknown>, dimensions: number, metrics: number): ReportRow {
  const names = valuesIn(row["dimensionValues"], "dimensionValues");
  const values = valuesIn(row["metricValues"], "metricValues");
  if (names.length !== dimensions || values.length !== metrics) throw unreadable("a row of a report has other columns");
  return {
    dimensions: names,
    metrics: values.map((value) => {
      if (!NUMBER.test(value)) throw unreadable(`a metric is not a number: ${shortened(value, 40)}`);
      return Number(value);
    }),
  };
}

/** Whether the day's tokens are used up. */
function isUsedUp(quota: unknown): boolean {
  const { tokensPerDay } = (quota ?? {}) as analyticsdata_v1beta.Schema$PropertyQuota;
  return typeof tokensPerDay?.remaining === "number" && tokensPerDay.remaining <= 0;
}

/**
 * Runs a report on a property (marketing-ads §2.9).
 * @throws SourceFailure also if a report of all rows is truncated, because its figures would be too low
 */
export async function askProperty(
  access: SourceAccess,
  { external_id: property }: Pick<MarketingLinkRow, "external_id">,
  question: ReportQuestion,
): Promise<Report> {
  if (!PROPERTY.test(property)) throw unreadable("the link names no property");
  const { spans, dimensions, metrics, limit } = question;
  const read = { api: "analyticsData", operation: "properties.runReport", about: property } as const;
  const answer = await readGoogle(access, read, (client) =>
    client.properties.runReport({ property, requestBody: requestOf(question) }),
  );
  const width = dimensions.length + (spans.length > 1 ? 1 : 0);
  const rows = listIn(answer.rows, "rows").map((row) => rowIn(row, width, metrics.length));
  if (limit === undefined && (answer.rowCount ?? rows.length) !== rows.length) throw unreadable("the report was cut short");
  const currency = answer.metadata?.currencyCode;
  const pausedUntil = isUsedUp(answer.propertyQuota) ? nextPacificDay(Date.now()) : null;
  if (pausedUntil !== null) access.pausedUntil = pausedUntil;
  return {
    rows,
    currency: typeof currency === "string" && currency !== "" ? currency : null,
    pausedUntil,
  };
}

/** Stops a run whose next request would exceed the quota. @throws SourceFailure */
export function requireMore({ pausedUntil }: Report): void {
  if (pausedUntil !== null) throw new SourceFailure(QUOTA_USED_UP, { pausedUntil });
}
