/** A search query in one span, as Search Console has it. */
export interface QueryRow {
  query: string;
  clicks: number;
  impressions: number;
  position: number;
}

/** How a query moved: positive is better. */
export interface Movement {
  query: string;
  position: number;
  position_change: number;
  clicks: number;
}

/** Movers shown. */
const MOST_MOVERS = 10;

const rounded = (value: number): number => Number(value.toFixed(1));
const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The queries of both spans, the ten largest moves in position first (marketing-ads §2.9). */
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

/** What of `rankings` of the settings decides about keywords of Search Console. */
export interface KeywordRule {
  limit: number;
  min_impressions: number;
  max_position: number;
}

/** One keyword of a report. */
export interface KeywordRow {
  keyword: string;
  /** Whole position in the span that is compared with; null for a new keyword. */
  begin: number | null;
  /** Whole position in the span itself. */
  end: number;
  /** Positions gained, negative for lost ones; 0 for a new keyword. */
  change: number;
  status: "new" | "improved" | "declined" | "stable";
  impressions: number;
  clicks: number;
}

const isSeen = ({ position, impressions }: QueryRow, { min_impressions }: KeywordRule): boolean =>
  position > 0 && impressions >= min_impressions;

/** The keywords of a report from the queries of two spans (marketing-ads §2.9): best position first, then most impressions. */
export function keywordRows(now: readonly QueryRow[], then: readonly QueryRow[], rule: KeywordRule): KeywordRow[] {
  const earlier = new Map(then.filter((row) => isSeen(row, rule)).map((row) => [row.query, Math.round(row.position)]));
  return now
    .filter((row) => isSeen(row, rule))
    .map(({ query, position, impressions, clicks }): KeywordRow => {
      const [begin, end] = [earlier.get(query) ?? null, Math.round(position)];
      const change = begin === null ? 0 : begin - end;
      const status = begin === null ? "new" : change > 0 ? "improved" : change < 0 ? "declined" : "stable";
      return { keyword: query, begin, end, change, status, impressions, clicks };
    })
    .filter(({ begin, end }) => end <= rule.max_position || (begin !== null && begin <= rule.max_position))
    .toSorted((one, other) => one.end - other.end || other.impressions - one.impressions || byText(one.keyword, other.keyword))
    .slice(0, rule.limit);
}
