import type { NewLine } from "../lines/line-values.ts";

/** A period of an agreement or of a domain, named by its end. */
export interface ClaimedPeriod {
  readonly source: "subscription" | "domain";
  readonly source_id: string;
  readonly period_end: string;
  readonly period_start: string | null;
}

/** What a document bills. */
export interface Claims {
  /** Ids of hours. */
  readonly entries: readonly string[];
  readonly periods: readonly ClaimedPeriod[];
}

type Claiming = Pick<NewLine, "line_kind" | "time_entry_ids" | "subscription_id" | "domain_id" | "period_start" | "period_end">;

const periodOf = ({ subscription_id, domain_id, period_start, period_end }: Claiming): ClaimedPeriod[] => {
  if (period_end === null) return [];
  if (subscription_id !== null) return [{ source: "subscription", source_id: subscription_id, period_end, period_start }];
  return domain_id === null ? [] : [{ source: "domain", source_id: domain_id, period_end, period_start }];
};

/** Whether a line bills anything, as it stands (money §7 "Withdrawing"). */
export const claims = (line: Claiming): boolean => line.time_entry_ids.length > 0 || periodOf(line).length > 0;

/** What lines ask to bill, each hour and period once. */
export function claimsOf(lines: readonly Claiming[]): Claims {
  const periods = new Map(
    lines.flatMap(periodOf).map((period) => [`${period.source} ${period.source_id} ${period.period_end}`, period]),
  );
  return { entries: [...new Set(lines.flatMap(({ time_entry_ids }) => time_entry_ids))], periods: [...periods.values()] };
}

/**
 * What a document bills after its lines were replaced (money §8): what they ask for. Where they ask for nothing of a sort but still have a line
 * of that kind, what the document billed of that sort stays.
 * @param before what it billed until then
 * @param asked what the new lines ask for
 */
export function keptClaims(before: Claims, asked: Claims, lines: readonly Claiming[]): Claims {
  const has = (...kinds: readonly string[]) => lines.some(({ line_kind }) => kinds.includes(line_kind));
  const of = (source: ClaimedPeriod["source"], from: Claims) => from.periods.filter((period) => period.source === source);
  const kept = <T>(wanted: readonly T[], held: readonly T[], stays: boolean) => (wanted.length === 0 && stays ? held : wanted);
  return {
    entries: kept(asked.entries, before.entries, has("hours")),
    periods: [
      ...kept(of("subscription", asked), of("subscription", before), has("subscription")),
      ...kept(of("domain", asked), of("domain", before), has("domain", "subscription")),
    ],
  };
}
