import type { AdsRow } from "./ads-row.ts";
import { byCost, type Figures, figuresOf, METRIC_FIELDS, type Sums, sumsOf } from "./figures.ts";
import { type AdsQuery, atLeast, type Condition, isNot, isOneOf, queryText, within } from "./query-text.ts";

/** Runs a query at the provider. @throws AdsFailure */
export type Ask = (query: string) => Promise<AdsRow[]>;

/** The filters of a read; they contain no caller text. */
export interface ReadFilters {
  /** Days in the account's zone, both ends inclusive. */
  from: string;
  to: string;
  /** The campaigns to read; null for all. */
  campaignIds: readonly string[] | null;
  withRemoved: boolean;
  /** Minimum cost and clicks of a search term; null for any. */
  minCostMicros: bigint | null;
  minClicks: number | null;
  /** Today in the account's zone, and in UTC, which the provider uses for its change history. */
  today: string;
  utcToday: string;
}

/** A response row, with the exact sums for totals; null if the read has no figures. */
export interface FoundRow {
  row: Record<string, unknown>;
  sums: Sums | null;
  /** The provider's row. */
  raw: AdsRow;
}

/** The result of a read before search and paging. */
export interface ReadRows {
  rows: FoundRow[];
  /** Whether rows beyond the ceiling were dropped already. */
  isTruncated?: boolean;
  warnings?: readonly string[];
  extra?: Record<string, unknown>;
}

/** The parameters that a read accepts in addition to `q`, `limit` and `offset`. */
export type ReadParameter = "period" | "campaigns" | "status" | "include_removed" | "thresholds";

/** The declaration of a live read (marketing-ads §3.5, §3.6). */
export interface ReadDeclaration {
  /** Last segment of the path. */
  path: string;
  summary: string;
  description: string;
  takes: readonly ReadParameter[];
  /** Most rows; further ones are dropped with a warning. */
  ceiling: number;
  /** Row fields that `q` searches. */
  searched: readonly string[];
  /** Finds the rows, at most one more than the ceiling. */
  find(ask: Ask, filters: ReadFilters): Promise<ReadRows>;
  hasTotals: boolean;
  /** Warnings in every response. */
  warnings?: readonly string[];
  /** Adds stored data to the rows of a page, in a fixed number of statements. */
  complete?(accountId: string, rows: Record<string, unknown>[]): Promise<Record<string, unknown>[]>;
  /** Additional response data about the matching rows; that of `find` overrides it. */
  extra?(matched: readonly FoundRow[]): Record<string, unknown>;
}

/** A read with one query whose rows have figures. */
export interface FiguresRead extends Omit<ReadDeclaration, "find" | "hasTotals"> {
  from: string;
  select: readonly string[];
  /** Status fields: rows with `REMOVED` are excluded unless requested. */
  statuses: readonly string[];
  where?: readonly Condition[];
  row: (row: AdsRow) => Record<string, unknown>;
}

/** The conditions on removed objects and campaigns that reads with campaigns share. */
export const usualConditions = ({ campaignIds, withRemoved }: ReadFilters, statuses: readonly string[]): Condition[] => [
  ...(withRemoved ? [] : statuses.map((status) => isNot(status, "REMOVED"))),
  ...(campaignIds === null ? [] : [isOneOf("campaign.id", campaignIds)]),
];

/** A query sorted by cost, highest first, with at most one row more than the ceiling. */
export const dearestFirst = (query: AdsQuery, ceiling: number): string =>
  queryText({ ...query, orderBy: "metrics.cost_micros DESC", limit: ceiling + 1 });

/** Appends figures to a row. */
export function withFigures(raw: AdsRow, row: Record<string, unknown>, sums: Sums): FoundRow & { sums: Sums } {
  const figures: Figures = figuresOf(sums);
  return { raw, row: { ...row, ...figures }, sums };
}

/** Declares a read with one query, whose rows have the period's figures, highest cost first. */
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
