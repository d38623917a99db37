/** From this depth on, runs are skipped (platform chapter §2.4). */
export const TOO_DEEP = 3;

/** Maximum runs of one rule on one record per hour; the rest are skipped (platform chapter §2.4). */
export const MOST_IN_HOUR = 20;

/** Seconds of the window of `MOST_IN_HOUR`. */
const HOUR = 3600;

/** A run that a rule asks for. */
export interface WantedRun {
  id: string;
  rule_id: string;
  entity_id: string;
  depth: number;
  /** When its event happened, in seconds since 1970. */
  at: number;
  /** The rule's stored runs on the record in the hour before, up to `MOST_IN_HOUR`, without skipped ones. */
  earlier: number;
}

/**
 * Why runs are skipped, by id (platform chapter §2.4). Skipped runs count towards no limit, so runs that are stored late are skipped exactly
 * if they would have been at their event.
 * @param wanted in any order
 */
export function skippedRuns(wanted: readonly WantedRun[]): Map<string, string> {
  const skipped = new Map<string, string>();
  const begun = new Map<string, number[]>();
  for (const { id, rule_id, entity_id, depth, at, earlier } of wanted.toSorted((a, b) => a.at - b.at)) {
    const key = `${rule_id} ${entity_id}`;
    const times = (begun.get(key) ?? []).filter((time) => time > at - HOUR);
    begun.set(key, times);
    if (depth >= TOO_DEEP) skipped.set(id, "errors.automation_depth_exceeded");
    else if (earlier + times.length >= MOST_IN_HOUR) skipped.set(id, "errors.automation_rule_rate");
    else times.push(at);
  }
  return skipped;
}
