import { newId } from "../database/model.ts";
import type { ChangedRecord, RecordChange, RecordedEvent, ReportedChange } from "../declare/events.ts";
import { recordEvents, reportedKinds } from "../declare/record-events.ts";
import { hookBeforeCommit } from "../jobs/outbox.ts";
import { flatMapped } from "../threads/breath.ts";

/**
 * Reports changes of records to outgoing webhooks (platform §5.9) when the trail has no line for them, or none that lists all fields. Lines
 * of the trail report themselves. Nothing is reported for kinds without declared `changes`.
 * @param fields names of the changed fields, as in the record's own response
 */
export function reportChange(kind: string, ids: readonly string[], change: RecordChange, fields: readonly string[] = []): void {
  if (!reportedKinds().has(kind)) return;
  for (const id of ids) hookBeforeCommit({ kind, id, change, fields });
}

/** The fields of an `updated` line: the keys of `changes`, or the list `changed`. */
function changedFields({ changes, changed }: { changes?: unknown; changed?: unknown }): readonly string[] {
  if (Array.isArray(changed)) return changed as string[];
  return typeof changes === "object" && changes !== null ? Object.keys(changes) : [];
}

/** The change that a line of the trail reports; undefined if none. */
function reportedBy(
  lines: Readonly<Record<string, ReportedChange>>,
  action: string,
  payload: Readonly<Record<string, unknown>>,
): ReportedChange | undefined {
  if (action === "updated") return changedFields(payload);
  if (Object.hasOwn(lines, action)) return lines[action];
  return action === "created" || action === "deleted" ? action : undefined;
}

/** Reports the change of a record that a line of the trail describes. */
export function reportLine(kind: string, id: string, action: string, payload: Readonly<Record<string, unknown>>): void {
  const lines = reportedKinds().get(kind);
  const reported = lines && reportedBy(lines, action, payload);
  if (reported === undefined) return;
  if (typeof reported === "string") reportChange(kind, [id], reported);
  else reportChange(kind, [id], "updated", reported);
}

/** Merges the changes of one record: one that is created or deleted in this transaction is not reported as updated as well. */
function merged(changes: readonly ChangedRecord[]): ChangedRecord[] {
  const [first] = changes as [ChangedRecord];
  const ends = (["created", "deleted"] as const).filter((end) => changes.some(({ change }) => change === end));
  if (ends.length > 0) return ends.map((change) => ({ ...first, change, fields: [] }));
  return [{ ...first, fields: [...new Set(changes.flatMap(({ fields }) => fields))] }];
}

/**
 * The record events for a transaction's changes, each record once, in the order in which the records were first written. A change that a
 * domain event already reports gets none.
 * @param wanted the names of events with a recipient
 */
export function recordEventsOf(
  changes: readonly ChangedRecord[],
  wanted: ReadonlySet<string>,
): RecordedEvent[] | Promise<RecordedEvent[]> {
  const named = recordEvents();
  if (!changes.some(({ kind, change }) => wanted.has(`${kind}.${change}`))) return [];
  const changesOf = [...Map.groupBy(changes, ({ kind, id }) => `${kind} ${id}`).values()];
  const eventOf = (one: ChangedRecord): RecordedEvent[] => {
    const name = `${one.kind}.${one.change}`;
    if (!wanted.has(name) || !Object.hasOwn(named, name)) return [];
    const payload = { [`${one.kind}_id`]: one.id, ...(one.change === "updated" && { changed: one.fields }) };
    return [{ id: newId(), name, entityType: one.kind, entityId: one.id, payload } as unknown as RecordedEvent];
  };
  return flatMapped(changesOf, (some) => merged(some).flatMap(eventOf));
}
