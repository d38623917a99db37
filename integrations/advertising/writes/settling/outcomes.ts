import type { Collection, Operation, Planned } from "../requests/operation.ts";
import { kindOf, nameOf, objectIn, type ProviderRow, type Values } from "../requests/provider-objects.ts";
import type { HistoryChange } from "./history.ts";
import { withNegative } from "./read-back.ts";

/** A write of ours that followed the one to settle. */
export interface LaterWrite {
  state: "pending" | "applied" | "refused" | "unknown" | "superseded";
  update: Values;
  /** What the provider had when that write read the object; null if it did not read it. */
  before: Values | null;
}

/** The evidence about a write whose value the provider does not have now. */
export interface Evidence {
  rows: readonly ProviderRow[];
  /** Resource names of objects that other writes created. */
  known: ReadonlySet<string>;
  /** The provider's history since the write, oldest first. */
  changes: readonly HistoryChange[];
  /** Writes of ours to the same object since then. */
  later: readonly LaterWrite[];
  /** Whether the provider no longer keeps the history of the write's time. */
  isForgotten: boolean;
}

/** The resource name of an applied operation, else why it does not count as applied. */
export type Outcome = { name: string } | "refused" | "superseded";

const equal = (one: unknown, other: unknown): boolean => one !== undefined && String(one) === String(other);
const has = (values: Values, field: string): boolean => values[field] !== undefined;

/**
 * The outcome of an update of which the provider does not have every value (marketing-ads §3.10): applied if a later write of ours or the
 * history saw each missing value; superseded if a later change replaced one and the history is silent; else refused.
 */
function updateOutcome({ operation, before = {} }: Pick<Planned, "before" | "operation">, key: string, found: Evidence): Outcome {
  const update = operation.update ?? {};
  const name = String(update["resourceName"]);
  const now = found.rows.map((row) => objectIn(row[key])).find((one) => nameOf(one) === name);
  const missing = Object.keys(update).filter((field) => field !== "resourceName" && !equal(now?.[field], update[field]));
  const changes = found.changes.filter((one) => one.name === name);
  const isSeen = (field: string) =>
    found.later.some((one) => one.before !== null && equal(one.before[field], update[field])) ||
    changes.some(
      ({ from, to, isFromApi }) => equal(from[field], update[field]) || (isFromApi && equal(to[field], update[field])),
    );
  if (missing.every(isSeen)) return { name };
  if (found.isForgotten) return "superseded";
  if (missing.some((field) => changes.some(({ from, to }) => has(from, field) || has(to, field)))) return "refused";
  const isReplaced = (field: string) =>
    !now ||
    (has(before, field) && !equal(now[field], before[field])) ||
    found.later.some(
      ({ state, update: other }) =>
        has(other, field) && (state === "applied" || state === "superseded" || equal(now[field], other[field])),
    );
  return missing.some(isReplaced) ? "superseded" : "refused";
}

/** The outcome of a creation or removal that the provider's objects do not show; only the history can know it. */
function changeOutcome(
  { create, remove }: Operation,
  collection: Collection,
  { changes, isForgotten }: Evidence,
  taken: ReadonlySet<string>,
): Outcome {
  const isSame = ({ to }: HistoryChange) => kindOf(collection).isSame(withNegative(collection, create ?? {}), to);
  const change = changes.find(
    (one) =>
      one.isFromApi &&
      (remove === undefined
        ? one.operation === "CREATE" && !taken.has(one.name) && isSame(one)
        : one.operation === "REMOVE" && one.name === remove),
  );
  if (change) return { name: change.name };
  return isForgotten ? "superseded" : "refused";
}

/**
 * The outcome of every operation of a write that is certain by now.
 * @param names for each operation the object that shows it, from `appliedOperations`; null if none does
 */
export function outcomesOf(
  collection: Collection,
  planned: readonly Pick<Planned, "before" | "operation">[],
  names: readonly (string | null)[],
  evidence: Evidence,
): Outcome[] {
  const taken = new Set([...evidence.known, ...names.filter((name) => name !== null)]);
  return planned.map((one, at) => {
    const shown = names[at] ?? null;
    if (shown !== null) return { name: shown };
    if (one.operation.update) return updateOutcome(one, kindOf(collection).key, evidence);
    const outcome = changeOutcome(one.operation, collection, evidence, taken);
    if (typeof outcome === "object") taken.add(outcome.name);
    return outcome;
  });
}
