import { utcInstant } from "../../../../core/calendar/calendar.ts";
import type { UpdateOf } from "../../../../core/database/model.ts";
import { differences, queueRemove, queueUpdate, withoutBlanks } from "../../../../core/database/write.ts";
import { forbidden, invalid, notFound, refusal } from "../../../../core/errors/errors.ts";
import { callerId, mayCaller, scopeOf } from "../../../../core/request/caller.ts";
import { organisationZone } from "../../../../core/request/today.ts";
import { readInstant, type Static } from "../../../../core/schema/schema.ts";
import { changesOf, trail, trailChanges } from "../../../../core/trail/trail.ts";
import { reaches } from "../../../../core/values/scope.ts";
import { workDate } from "../../days.ts";
import { writtenMinutes } from "../durations.ts";
import { settledPlace } from "../entry-place.ts";
import { createdTimes, type EntryTimes, type FinishedTimes, updatedTimes } from "../entry-times.ts";
import { storedDescription } from "../entry-writes.ts";
import { TimeEntry, type TimeEntryRow } from "../models.ts";
import { requireEntryType } from "../types/entry-types.ts";
import { requireUnbilled } from "./billed-entries.ts";
import { entryRows } from "./entry.list.ts";
import type { TimeEntryCreate, TimeEntryUpdate } from "./entry-schemas.ts";

/** The fields that an issued document has billed, which must not change any more (work chapter §4.1, "Billed entries are locked"). */
const BILLED = [
  ...["started_at", "ended_at", "minutes", "break_minutes", "billable", "company_id", "project_id", "task_id"],
] as const;

/** An instant from a body: without an offset it is in the organisation's time zone (conventions §9). */
export const entryInstant = <T extends string | null | undefined>(sent: T): T =>
  sent ? (readInstant(sent, organisationZone()) as T) : sent;

/** The times of a new entry from its body. @throws 422 `ended_at`, `duration` */
export function sentTimes(body: Static<typeof TimeEntryCreate>): FinishedTimes {
  const { started_at, ended_at, break_minutes } = body;
  const span = { started_at: entryInstant(started_at), ended_at: entryInstant(ended_at) };
  return createdTimes({ ...span, minutes: writtenMinutes(body), break_minutes }, organisationZone());
}

/**
 * Locks an entry for a write by the caller (work chapter §4.1).
 * @throws 404 for one the caller cannot read, 403 for one it cannot write, 403 `approved_locked` for an approved one without
 * `time.entry.approve`, 412
 */
export function lockEntry(id: string): Promise<TimeEntryRow> {
  return entryRows().forWrite(id, ({ user_id, approved_at }) => {
    if (!reaches(scopeOf("time.entry.read"), callerId(), user_id)) throw notFound();
    if (!reaches(scopeOf("time.entry.write"), callerId(), user_id)) throw forbidden();
    if (approved_at !== null && !mayCaller("time.entry.approve")) throw refusal("approved_locked");
  });
}

/** A stored row with normalised instants, so that equal instants are equal strings. */
const comparable = <T extends EntryTimes>(row: T): T => ({
  ...row,
  started_at: utcInstant(row.started_at),
  ended_at: row.ended_at === null ? null : utcInstant(row.ended_at),
});

/**
 * Stores changed values of a locked entry with a trail line; unchanged values leave no trace. The entry's day changes only with its start.
 * @param said additions to the trail line
 * @throws 409 `errors.time_entry_invoiced` for fields that an issued document has billed, 422 `started_at` outside the years 2000–2100
 */
export async function saveEntry(
  stored: TimeEntryRow,
  values: Omit<UpdateOf<typeof TimeEntry>, "work_date">,
  said: { capped?: true } = {},
): Promise<void> {
  const before = comparable(stored);
  const changed = differences(before, withoutBlanks(TimeEntry, values));
  if (!changed) return;
  if (BILLED.some((name) => name in changed)) await requireUnbilled([before.id]);
  const { started_at } = changed;
  queueUpdate(TimeEntry, before.id, {
    ...changed,
    ...(started_at !== undefined && { work_date: workDate(started_at, organisationZone()) }),
  });
  trailChanges("time_entry", before.id, changesOf(TimeEntry.tracked, before, changed), Object.keys(changed), said);
}

/**
 * Changes a locked entry (work chapter §4.1, "Update"). Omitted fields stay, except those that a new task or project determines: project,
 * client and, for a new project, whether the entry is billable.
 * @throws 404 for a client, project or task the caller does not see; 422 for an inactive type, and for removing the end of a finished
 * entry; 409 `errors.time_entry_invoiced`
 */
export async function changeEntry(before: TimeEntryRow, body: Static<typeof TimeEntryUpdate>): Promise<void> {
  const {
    started_at,
    ended_at,
    minutes: _,
    duration: __,
    break_minutes,
    company_id,
    project_id,
    task_id,
    billable,
    ...rest
  } = body;
  const minutes = writtenMinutes(body);
  if (ended_at === null && before.ended_at !== null) throw invalid({ ended_at: "errors.validation" });
  const sent = { started_at: entryInstant(started_at), ended_at: entryInstant(ended_at), minutes, break_minutes };
  const times = updatedTimes(before, sent);
  const [{ billable_default, ...place }] = await Promise.all([
    settledPlace({ company_id, project_id, task_id }, before),
    requireEntryType(rest.entry_type_key, before.entry_type_key),
  ]);
  const follows = place.project_id === before.project_id ? undefined : billable_default;
  const description = storedDescription(rest.description);
  await saveEntry(before, { ...rest, ...place, ...times, billable: billable ?? follows, description });
}

/** Deletes a locked entry; a planned block logged by it is open again. @throws 409 `errors.time_entry_invoiced` */
export async function deleteEntry({ id }: TimeEntryRow): Promise<void> {
  await requireUnbilled([id]);
  queueRemove(TimeEntry, id);
  trail("time_entry", id, "deleted");
}
