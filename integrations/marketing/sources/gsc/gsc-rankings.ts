import type { RankedKeyword, RankingRules } from "../source.ts";

/** A search query's figures in one span. */
export interface QueryRow {
  query: string;
  clicks: number;
  impressions: number;
  position: number;
}

/** A query's change of position; positive is better. */
export interface Movement {
  query: string;
  position: number;
  position_change: number;
  clicks: number;
}

const MOST_MOVERS = 10;

const rounded = (value: number): number => Number(value.toFixed(1));
const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The queries of both spans, largest change of position first, at most ten (marketing-ads §2.9). */
export function movements(now: readonly QueryRow[], then: readonly QueryRow[]): Movement[] {
  const earlier = new Map(then.map((row) => [row.query, row]));
  return now
    .flatMap(({ query, position, clicks }) => {
      const before = earlier.get(query);
      return before ? [{ query, position, position_change: rounded(before.position - position), clicks }] : [];
    })
    .toSorted(
      (one, other) =>
        Math.abs(other.position_change) - Math.abs(one.position_change) ||
        other.clicks - one.clicks ||
        byText(one.query, other.query),
    )
    .slice(0, MOST_MOVERS);
}

const isSeen = ({ position, impressions }: QueryRow, { min_impressions }: RankingRules): boolean =>
  position > 0 && impressions >= min_impressions;

/** The keywords of a report from the queries of two spans (marketing-ads §2.9), by best position, then impressions. */
export function keywordRows(now: readonly QueryRow[], then: readonly QueryRow[], rules: RankingRules): RankedKeyword[] {
  const earlier = new Map(then.filter((row) => isSeen(row, rules)).map((row) => [row.query, Math.round(row.position)]));
  return now
    .filter((row) => isSeen(row, rules))
    .map(({ query, position, impressions }) => {
      const [begin, end] = [earlier.get(query) ?? 0, Math.round(position)];
      const change = begin === 0 ? 0 : begin - end;
      const status = begin === 0 ? "new" : change > 0 ? "improved" : change < 0 ? "declined" : "stable";
      return {
        ...{ keyword: query, group: null, engine: null, page: null },
        begin,
        end,
        change,
        status,
        volume: null,
        impressions,
      } as const;
    })
    .filter(({ begin, end }) => end <= rules.max_position || (begin > 0 && begin <= rules.max_position))
    .toSorted((one, other) => one.end - other.end || other.impressions - one.impressions || byText(one.keyword, other.keyword));
}
