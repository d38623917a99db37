import { attempt } from "../../../core/database/connection/savepoint.ts";
import { invalid } from "../../../core/errors/errors.ts";
import type { MovedReferences } from "../../../core/references/move.ts";
import type { MergedFields } from "./merged-fields.ts";

/** The outcome of a merge, as both kinds of record answer it. */
export interface MergeOutcome {
  dry_run: boolean;
  merged: { id: string; name: string };
  filled: string[];
  kept: MergedFields["conflicts"];
  moved: { records: string; count: number }[];
  dropped: { records: string; count: number }[];
}

const shown = (rows: MovedReferences["moved"]) => rows.map(({ table, count }) => ({ records: table, count }));

/** The outcome of a merge. @param links rows of links that the merge itself moved */
export const outcomeOf = (
  merged: MergeOutcome["merged"],
  { filled, conflicts }: MergedFields,
  { moved, dropped }: MovedReferences,
  links: MovedReferences,
): Omit<MergeOutcome, "dry_run"> => ({
  merged,
  filled: Object.keys(filled),
  kept: conflicts,
  moved: shown([...links.moved, ...moved]),
  dropped: shown([...links.dropped, ...dropped]),
});

/** The ids of two records to merge, in lower case. @throws 422 if they are the same */
export function requireTwo(keptId: string, from: string): [string, string] {
  const ids: [string, string] = [keptId.toLowerCase(), from.toLowerCase()];
  if (ids[0] === ids[1]) throw invalid({ from: "errors.merge_with_itself" });
  return ids;
}

/** The fields of a record whose changes the trail may show: notes and custom values never are in it. */
export const inTrail = (conflicts: MergedFields["conflicts"]): Record<string, string> =>
  Object.fromEntries(conflicts.flatMap(({ field, other }) => (field.startsWith("custom.") ? [] : [[field, other]])));

class DryRun extends Error {}

/** Runs work, and undoes all that it wrote if `isDry`. */
export async function orUndone<T>(isDry: boolean, work: () => Promise<T>): Promise<T> {
  if (!isDry) return work();
  let result: T | undefined;
  const thrown = await attempt(async () => {
    result = await work();
    throw new DryRun();
  });
  if (!(thrown instanceof DryRun)) throw thrown;
  return result as T;
}
