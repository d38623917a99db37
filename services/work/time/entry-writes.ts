import { enqueue } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { trail } from "../../../core/database/trail.ts";
import { insert, withoutBlanks } from "../../../core/database/write.ts";
import { callerId } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { withoutHtml } from "../../../core/values/text.ts";
import type { References } from "../references.ts";
import { workDate } from "./days.ts";
import { settledPlace } from "./entry-place.ts";
import type { EntryTimes } from "./entry-times.ts";
import { TimeEntry } from "./models.ts";
import { requireEntryType } from "./types/entry-types.ts";

/** A new entry, its times as the rules of entry-times.ts give them: `ended_at` null is a timer that runs, with 0 minutes. */
export interface NewEntry extends EntryTimes, References {
  /** Who worked. */
  user_id: string;
  /** Markdown; HTML is taken out. */
  description?: string | null | undefined;
  entry_type_key?: string | null | undefined;
  /** As the project has it when nothing is said, true without one. */
  billable?: boolean | null | undefined;
  /** The contact moment that the entry records. */
  interaction_id?: string | null | undefined;
}

const DROP_DRAFT = statement("delete from time_drafts where organisation_id = $1 and account_id = $2 and entry_date = $3");

/** A description as it is stored. */
export const storedDescription = (text: string | null | undefined): string | null | undefined =>
  text === null || text === undefined ? text : withoutHtml(text);

/**
 * Stores a new entry with the day it counts on, what it belongs to and its line of the trail, and drops the caller's own draft of that day.
 * Every entry is made through here: one that is sent, a timer, what finishing a task or logging a planned block writes, an import.
 * @param ownId the id the entry gets; a new one otherwise
 * @returns its id
 * @throws 404 for a client, project or task that is not there for the caller, 422 for a type that is not active and for a start outside the
 * years 2000–2100 (work chapter §4.1)
 */
export async function createEntry(entry: NewEntry, ownId?: string): Promise<string> {
  const { user_id, started_at, ended_at, minutes, break_minutes, interaction_id } = entry;
  const work_date = workDate(started_at, organisationZone());
  // Asked in one turn, so that they leave in one message.
  const [{ billable_default, ...place }] = await Promise.all([settledPlace(entry), requireEntryType(entry.entry_type_key)]);
  const values = {
    user_id,
    work_date,
    started_at,
    ended_at,
    minutes,
    break_minutes,
    billable: entry.billable ?? billable_default ?? true,
    ...place,
    interaction_id,
    entry_type_key: entry.entry_type_key,
    description: storedDescription(entry.description),
  };
  const id = insert(TimeEntry, { ...withoutBlanks(TimeEntry, values), ...(ownId !== undefined && { id: ownId }) });
  trail("time_entry", id, "created");
  if (user_id === callerId()) enqueue(DROP_DRAFT, [request().organisation.id, user_id, work_date]);
  return id;
}
