import type { AdsRow } from "./ads-row.ts";
import { byCost, type Figures, figuresOf, METRIC_FIELDS, type Sums, sumsOf } from "./figures.ts";
import { type AdsQuery, atLeast, type Condition, isNot, isOneOf, queryText, within } from "./query-text.ts";

/** Asks the provider for the rows of a query. @throws AdsFailure */
export type Ask = (query: string) => Promise<AdsRow[]>;

/** What a read is narrowed to; nothing in it is a caller's text. */
export interface ReadFilters {
  /** Days in the account's zone, both ends included. */
  from: string;
  to: string;
  /** The campaigns that were named; null is all. */
  campaignIds: readonly string[] | null;
  withRemoved: boolean;
  /** Least cost and clicks of a search term; null is any. */
  minCostMicros: bigint | null;
  minClicks: number | null;
  /** Today's date in the account's zone, and in UTC, by which the provider keeps its change history. */
  today: string;
  utcToday: string;
}

/** A row of an answer, and the exact sums that totals are computed from; null where the read has no figures. */
export interface FoundRow {
  row: Record<string, unknown>;
  sums: Sums | null;
  /** As the provider answered it. */
  raw: AdsRow;
}

/** What a read gives before it is searched and paged. */
export interface Found {
  rows: FoundRow[];
  /** Whether rows beyond the ceiling were left out already. */
  isTruncated?: boolean;
  warnings?: readonly string[];
  extra?: Record<string, unknown>;
}

/** The parameters that a read takes beside `q`, `limit` and `offset`. */
export type ReadParameter = "period" | "campaigns" | "status" | "include_removed" | "thresholds";

/** One read of live figures, declared once (marketing-ads §3.5, §3.6). */
export interface ReadDeclaration {
  /** The last part of its path. */
  path: string;
  summary: string;
  description: string;
  takes: readonly ReadParameter[];
  /** Most rows it reads; more are cut off with a warning. */
  ceiling: number;
  /** Fields of a row that `q` is looked for in. */
  searched: readonly string[];
  /** The rows, up to one more than the ceiling. */
  find(ask: Ask, filters: ReadFilters): Promise<Found>;
  /** Whether it has totals. */
  hasTotals: boolean;
  /** Warnings of every answer. */
  warnings?: readonly string[];
  /** Completes the rows of a page with what this service keeps of them, in a fixed number of statements. */
  complete?(accountId: string, rows: Record<string, unknown>[]): Promise<Record<string, unknown>[]>;
  /** Facts of an answer about the rows that matched. */
  extra?(matched: readonly FoundRow[]): Record<string, unknown>;
}

/** A read of one query whose rows have figures. */
export interface FiguresRead extends Omit<ReadDeclaration, "find" | "hasTotals"> {
  from: string;
  select: readonly string[];
  /** Fields whose `REMOVED` leaves a row out unless removed ones are asked for. */
  statuses: readonly string[];
  where?: readonly Condition[];
  row: (row: AdsRow) => Record<string, unknown>;
}

/** The conditions on removed things and on campaigns that every read with campaigns has. */
export const usualConditions = ({ campaignIds, withRemoved }: ReadFilters, statuses: readonly string[]): Condition[] => [
  ...(withRemoved ? [] : statuses.map((status) => isNot(status, "REMOVED"))),
  ...(campaignIds === null ? [] : [isOneOf("campaign.id", campaignIds)]),
];

/** The rows of a query with the dearest first, up to one more than a ceiling. */
export const dearestFirst = (query: AdsQuery, ceiling: number): string =>
  queryText({ ...query, orderBy: "metrics.cost_micros DESC", limit: ceiling + 1 });

/** A row with its figures after its own fields. */
export function withFigures(raw: AdsRow, row: Record<string, unknown>, sums: Sums): FoundRow & { sums: Sums } {
  const figures: Figures = figuresOf(sums);
  return { raw, row: { ...row, ...figures }, sums };
}

/** Declares a read of one query whose rows have figures of the period, the dearest first. */
export function figuresRead({ from, select, statuses, where = [], row, ...declared }: FiguresRead): ReadDeclaration {
  return {
    ...declared,
    hasTotals: true,
    async find(ask, filters) {
      const { minCostMicros, minClicks } = filters;
      const conditions = [within(filters.from, filters.to), ...where, ...usualConditions(filters, statuses)];
      if (minCostMicros !== null) conditions.push(atLeast("metrics.cost_micros", minCostMicros));
      if (minClicks !== null) conditions.push(atLeast("metrics.clicks", BigInt(minClicks)));
      const query = { from, select: [...select, ...METRIC_FIELDS], where: conditions };
      const rows = await ask(dearestFirst(query, declared.ceiling));
      const found = rows.map((one) => withFigures(one, row(one), sumsOf(one.metrics)));
      return { rows: found.toSorted(byCost) };
    },
  };
}
