import { utcInstant } from "../../../../core/calendar/calendar.ts";
import type { UpdateOf } from "../../../../core/database/model.ts";
import { changesOf, trail } from "../../../../core/database/trail.ts";
import { differing, remove, update, withoutBlanks } from "../../../../core/database/write.ts";
import { forbidden, invalid, notFound, refusal } from "../../../../core/declare/errors.ts";
import { readInstant, type Static } from "../../../../core/declare/schema.ts";
import { callerId, mayCaller, scopeOf } from "../../../../core/request/caller.ts";
import { reaches } from "../../../../core/values/scope.ts";
import { requireReferences } from "../../references.ts";
import { createdTimes, type EntryTimes, type FinishedTimes, updatedTimes } from "../entry-times.ts";
import { storedDescription } from "../entry-writes.ts";
import { TimeEntry, type TimeEntryRow } from "../models.ts";
import { requireEntryType } from "../types/entry-types.ts";
import { entryRows } from "./entry.list.ts";
import type { TimeEntryCreate, TimeEntryUpdate } from "./entry-schemas.ts";

/** The most minutes a row can hold. */
const MOST_MINUTES = 2_147_483_647;

const instantOf = <T extends string | null | undefined>(sent: T): T => (sent ? (readInstant(sent) as T) : sent);

/** @throws 422 `ended_at` for an end outside the years 1–9999, or so far from the start that its minutes fit no row */
export function storable<T extends EntryTimes>(times: T): T {
  const { ended_at, minutes } = times;
  if ((ended_at !== null && readInstant(ended_at) === null) || minutes > MOST_MINUTES)
    throw invalid({ ended_at: "errors.validation" });
  return times;
}

/** The times of a new entry as it is sent. @throws 422 `ended_at` */
export const sentTimes = ({ started_at, ended_at, minutes, break_minutes }: Static<typeof TimeEntryCreate>): FinishedTimes =>
  storable(createdTimes({ started_at: instantOf(started_at), ended_at: instantOf(ended_at), minutes, break_minutes }));

/**
 * An entry for a write by the caller, locked (work chapter §4.1).
 * @throws 404 for one the caller may not read, 403 for one it may not write, 403 `approved_locked` for an approved one without
 * `time.entry.approve`, 412
 */
export function lockEntry(id: string): Promise<TimeEntryRow> {
  return entryRows().forWrite(id, ({ user_id, approved_at }) => {
    if (!reaches(scopeOf("time.entry.read"), callerId(), user_id)) throw notFound();
    if (!reaches(scopeOf("time.entry.write"), callerId(), user_id)) throw forbidden();
    if (approved_at !== null && !mayCaller("time.entry.approve")) throw refusal("approved_locked");
  });
}

/** A stored row with its instants as the rules write them, so that equal ones are equal texts. */
const comparable = <T extends EntryTimes>(row: T): T => ({
  ...row,
  started_at: utcInstant(row.started_at),
  ended_at: row.ended_at === null ? null : utcInstant(row.ended_at),
});

/** Stores other values of a locked entry with the line of the trail; values that are those of the row leave no trace. */
export function saveEntry(stored: TimeEntryRow, values: UpdateOf<typeof TimeEntry>): void {
  const before = comparable(stored);
  const changed = differing(before, withoutBlanks(TimeEntry, values));
  if (!changed) return;
  update(TimeEntry, before.id, changed);
  const changes = changesOf(TimeEntry.tracked, before, changed);
  if (Object.keys(changes).length > 0) trail("time_entry", before.id, "updated", { changes });
}

/**
 * Changes a locked entry (work chapter §4.1, "Update"). What is not sent stays.
 * @throws 404 for a client, project or task that is not there for the caller; 422 for a type that is not active, and for taking the end
 * off an entry that has ended
 */
export async function changeEntry(before: TimeEntryRow, body: Static<typeof TimeEntryUpdate>): Promise<void> {
  const { started_at, ended_at, minutes, break_minutes, company_id, project_id, task_id, ...rest } = body;
  if (ended_at === null && before.ended_at !== null) throw invalid({ ended_at: "errors.validation" });
  const sent = { started_at: instantOf(started_at), ended_at: instantOf(ended_at), minutes, break_minutes };
  const times = storable(updatedTimes(before, sent));
  const about = differing(before, { company_id, project_id, task_id }) ?? {};
  await Promise.all([requireReferences(about), requireEntryType(rest.entry_type_key, before.entry_type_key)]);
  saveEntry(before, { ...rest, ...about, ...times, description: storedDescription(rest.description) });
}

/** Deletes a locked entry; a planned block that it recorded is open again. */
export function deleteEntry({ id }: TimeEntryRow): void {
  remove(TimeEntry, id);
  trail("time_entry", id, "deleted");
}
