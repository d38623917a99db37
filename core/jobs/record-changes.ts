import { newId } from "../database/model.ts";
import type { RecordedEvent } from "../declare/events.ts";
import { type RecordChange, type ReportedChange, recordEvents, reportedKinds } from "../declare/record-events.ts";
import { beforeCommitJoin } from "./outbox.ts";

/** A change of a record in the running transaction. */
export interface ChangedRecord {
  kind: string;
  id: string;
  change: RecordChange;
  /** Names of the fields that changed; of an update alone. */
  fields: readonly string[];
}

/**
 * Reports a change of records of which the trail has no line, or none that names all of it, to outgoing webhooks (platform §5.9). Lines of
 * the trail report themselves. Of kinds that declare no `changes` nothing is reported.
 * @param fields names of the fields that changed, as the record's own answer has them
 */
export function reportChange(kind: string, ids: readonly string[], change: RecordChange, fields: readonly string[] = []): void {
  if (!reportedKinds().has(kind)) return;
  for (const id of ids) beforeCommitJoin({ kind, id, change, fields });
}

/** The fields that a line `updated` names: the keys of `changes`, or the list `changed`. */
function fieldsOf({ changes, changed }: { changes?: unknown; changed?: unknown }): readonly string[] {
  if (Array.isArray(changed)) return changed as string[];
  return typeof changes === "object" && changes !== null ? Object.keys(changes) : [];
}

/** What a line of the trail reports of its record; undefined where it reports nothing. */
function reportedBy(
  lines: Readonly<Record<string, ReportedChange>>,
  action: string,
  payload: Readonly<Record<string, unknown>>,
): ReportedChange | undefined {
  if (action === "updated") return fieldsOf(payload);
  if (Object.hasOwn(lines, action)) return lines[action];
  return action === "created" || action === "deleted" ? action : undefined;
}

/** Reports what a line of the trail says of its record. */
export function reportLine(kind: string, id: string, action: string, payload: Readonly<Record<string, unknown>>): void {
  const lines = reportedKinds().get(kind);
  const reported = lines && reportedBy(lines, action, payload);
  if (reported === undefined) return;
  if (typeof reported === "string") reportChange(kind, [id], reported);
  else reportChange(kind, [id], "updated", reported);
}

/** The changes of one record as one: what was added in this transaction, or is gone at its end, was not changed beside. */
function merged(changes: readonly ChangedRecord[]): ChangedRecord[] {
  const [first] = changes as [ChangedRecord];
  const ends = (["created", "deleted"] as const).filter((end) => changes.some(({ change }) => change === end));
  if (ends.length > 0) return ends.map((change) => ({ ...first, change, fields: [] }));
  return [{ ...first, fields: [...new Set(changes.flatMap(({ fields }) => fields))] }];
}

/**
 * The record events of a transaction's changes, each record's once, in the order in which the records were first written. A change that a
 * domain event reports has none.
 * @param wanted the names of events that anyone is to be told of
 */
export function recordEventsOf(changes: readonly ChangedRecord[], wanted: ReadonlySet<string>): RecordedEvent[] {
  const named = recordEvents();
  if (!changes.some(({ kind, change }) => wanted.has(`${kind}.${change}`))) return [];
  return [...Map.groupBy(changes, ({ kind, id }) => `${kind} ${id}`).values()].flatMap(merged).flatMap((one) => {
    const name = `${one.kind}.${one.change}`;
    if (!wanted.has(name) || !Object.hasOwn(named, name)) return [];
    const payload = { [`${one.kind}_id`]: one.id, ...(one.change === "updated" && { changed: one.fields }) };
    return { id: newId(), name, entityType: one.kind, entityId: one.id, payload } as unknown as RecordedEvent;
  });
}
