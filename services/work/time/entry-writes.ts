import { enqueue } from "../../../core/database/query.ts";
import { queueInsert, withoutBlanks } from "../../../core/database/write.ts";
import { callerId } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { blankToNull, withoutHtml } from "../../../core/values/text.ts";
import { workDate } from "../days.ts";
import type { References } from "../references.ts";
import { settledPlace } from "./entry-place.ts";
import type { EntryTimes } from "./entry-times.ts";
import { TimeEntry } from "./models.ts";
import { requireEntryType } from "./types/entry-types.ts";

/** A new entry, with its times from entry-times.ts: `ended_at` null is a running timer, with 0 minutes. */
export interface NewEntry extends EntryTimes, References {
  /** The person who worked. */
  user_id: string;
  /** Markdown; HTML is removed. */
  description?: string | null | undefined;
  entry_type_key?: string | null | undefined;
  /** By default the project's setting, or true without a project. */
  billable?: boolean | null | undefined;
  /** The contact moment whose time this is. */
  interaction_id?: string | null | undefined;
}

const DROP_DRAFT = statement("delete from time_drafts where organisation_id = $1 and account_id = $2 and entry_date = $3");

export const storedDescription = (text: string | null | undefined): string | null | undefined =>
  text === null || text === undefined ? text : withoutHtml(text);

/** The description of hours written from a task: the text as stored, or the task's title if nothing of it remains (work §3.4, §3.10). */
export const describedBy = (text: string | null | undefined, title: string): string =>
  blankToNull(storedDescription(text)) ?? title;

/**
 * Stores a new entry with its day, references and trail line, and deletes the caller's own draft of that day. Every path creates entries
 * through here: requests, timers, finished tasks, logged blocks and imports.
 * @param ownId the entry's id; a new one by default
 * @returns its id
 * @throws 404 for a client, project or task the caller does not see, 422 for an inactive type and for a start outside the years 2000–2100
 * (work chapter §4.1)
 */
export async function createEntry(entry: NewEntry, ownId?: string): Promise<string> {
  const { user_id, started_at, ended_at, minutes, break_minutes, interaction_id } = entry;
  const work_date = workDate(started_at, organisationZone());
  // Started in one turn, so that both queries leave in one message.
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
  const id = queueInsert(TimeEntry, { ...withoutBlanks(TimeEntry, values), ...(ownId !== undefined && { id: ownId }) });
  trail("time_entry", id, "created");
  if (user_id === callerId()) enqueue(DROP_DRAFT, [request().organisation.id, user_id, work_date]);
  return id;
}
