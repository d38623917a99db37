import { standingDecisions } from "../../decisions/standing.ts";
import { subjectKey } from "../../decisions/words.ts";

const termOf = (row: Record<string, unknown>): string => String(row["search_term"]);

/** Adds to each search term its newest decision in force, of any scope. */
export async function withDecisions(accountId: string, rows: Record<string, unknown>[]): Promise<Record<string, unknown>[]> {
  const standing = await standingDecisions(accountId, rows.map(termOf));
  return rows.map((row) => {
    const [newest] = standing.get(subjectKey(termOf(row))) ?? [];
    if (!newest) return row;
    const { decision, reason, scope, by } = newest;
    return { ...row, decided: { decision, reason, scope, by } };
  });
}
