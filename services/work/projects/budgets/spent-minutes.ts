import { query } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { onOrAfter } from "../../days.ts";
import { throughTaskOfStaff } from "../../visibility.ts";
import type { SpentMinutes } from "./burn-down.ts";

/** Entries on alias `e` that count towards a budget: finished ones, billable or not (work chapter §2.4). */
export const FINISHED = "e.ended_at is not null";

/** Sums of the minutes of those entries on alias `e` that meet a condition. */
export const sumsOf = (condition: string): string => `coalesce(sum(e.minutes) filter (where ${condition}), 0)::float8 as spent,
  coalesce(sum(e.minutes) filter (where ${condition} and e.billable), 0)::float8 as billable,
  coalesce(sum(e.minutes) filter (where ${condition} and e.approved_at is null), 0)::float8 as unapproved`;

const SUMS = sumsOf("true");

/** Entries on alias `e` without a client, or with one that a restricted caller sees; `slot` holds its sources. */
export const ofSeenClient = (slot: string): string => throughTaskOfStaff(slot).replaceAll(/\bt\./g, "e.");

const spent = (more: string) =>
  statement(`select w.id, s.spent, s.billable, s.unapproved from unnest($2::uuid[], $3::date[]) w(id, since)
    cross join lateral (select ${SUMS} from time_entries e where e.organisation_id = $1 and e.project_id = w.id
      and ${onOrAfter("e", "w.since")} and ${FINISHED}${more}) s`);
const SPENT = spent("");
const SPENT_SEEN = spent(` and ${ofSeenClient("$4::uuid[]")}`);

const NOTHING: SpentMinutes = { spent: 0, billable: 0, unapproved: 0 };

/**
 * The finished minutes on projects, by id, as far as the caller sees their clients. One statement for any number of projects.
 * @param wanted projects, each with the day from which entries count; null counts all
 */
export async function minutesSpent(
  wanted: readonly { id: string; since: string | null }[],
): Promise<(id: string) => SpentMinutes> {
  if (wanted.length === 0) return () => NOTHING;
  const { organisation, principal } = request();
  const selection = principal?.selection ?? null;
  const values = [organisation.id, wanted.map(({ id }) => id), wanted.map(({ since }) => since ?? "-infinity")];
  type Spent = SpentMinutes & { id: string };
  const rows = await (selection === null ? query<Spent>(SPENT, values) : query<Spent>(SPENT_SEEN, [...values, selection]));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return (id) => byId.get(id) ?? NOTHING;
}
