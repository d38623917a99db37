import type { NewLine } from "../lines/line-values.ts";

/** A period of an agreement or a domain, identified by its end. */
export interface ClaimedPeriod {
  readonly source: "subscription" | "domain";
  readonly source_id: string;
  readonly period_end: string;
  readonly period_start: string | null;
}

/** The hours and periods that a document bills. */
export interface Claims {
  /** Ids of time entries. */
  readonly entries: readonly string[];
  readonly periods: readonly ClaimedPeriod[];
}

type Claiming = Pick<NewLine, "line_kind" | "time_entry_ids" | "subscription_id" | "domain_id" | "period_start" | "period_end">;

const periodOf = ({ subscription_id, domain_id, period_start, period_end }: Claiming): ClaimedPeriod[] => {
  if (period_end === null) return [];
  if (subscription_id !== null) return [{ source: "subscription", source_id: subscription_id, period_end, period_start }];
  return domain_id === null ? [] : [{ source: "domain", source_id: domain_id, period_end, period_start }];
};

/** Whether a line currently bills hours or a period (money §7 "Withdrawing"). */
export const claims = (line: Claiming): boolean => line.time_entry_ids.length > 0 || periodOf(line).length > 0;

/** The claims of lines, without duplicates. */
export function claimsOf(lines: readonly Claiming[]): Claims {
  const periods = new Map(
    lines.flatMap(periodOf).map((period) => [`${period.source} ${period.source_id} ${period.period_end}`, period]),
  );
  return { entries: [...new Set(lines.flatMap(({ time_entry_ids }) => time_entry_ids))], periods: [...periods.values()] };
}

/**
 * The claims of a document after its lines were replaced (money §8): those of the new lines. If they claim nothing of a sort but still
 * include a line of that kind, the earlier claims of that sort stay.
 * @param before the claims until then
 * @param asked the claims of the new lines
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
