import { enqueue, queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { trail } from "../../../core/database/trail.ts";
import { insert, withoutBlanks } from "../../../core/database/write.ts";
import { forbidden } from "../../../core/declare/errors.ts";
import { callerId } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { withoutHtml } from "../../../core/values/text.ts";
import { type References, requireReferences } from "../references.ts";
import { utcDay } from "./days.ts";
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
  /** As the project has it when nothing is said. */
  billable?: boolean | null | undefined;
  /** The contact moment that the entry records. */
  interaction_id?: string | null | undefined;
}

const BILLABLE = statement("select billable_default from projects where organisation_id = $1 and id = $2");
const DROP_DRAFT = statement("delete from time_drafts where organisation_id = $1 and account_id = $2 and entry_date = $3");

/** Whether work is billed when an entry does not say so: as its project has it, without one yes (work chapter §4.1). */
async function billableOf(projectId: string | null | undefined): Promise<boolean> {
  if (!projectId) return true;
  const found = await queryOne<{ billable_default: boolean }>(BILLABLE, [request().organisation.id, projectId]);
  return found?.billable_default ?? true;
}

/** The person whose hours the caller writes: its own. @throws 403 for a service account and the system, which work no hours */
export function ownHours(): string {
  const id = callerId();
  if (id === null) throw forbidden();
  return id;
}

/** A description as it is stored. */
export const storedDescription = (text: string | null | undefined): string | null | undefined =>
  text === null || text === undefined ? text : withoutHtml(text);

/**
 * Stores a new entry with its line of the trail, and drops the caller's own draft of that day. Every entry is made through here: one that is
 * sent, a timer, what finishing a task or logging a planned block writes, an import.
 * @returns its id
 * @throws 404 for a client, project or task that is not there for the caller, 422 for a type that is not active (work chapter §4.1)
 */
export async function createEntry(entry: NewEntry): Promise<string> {
  const { user_id, started_at, ended_at, minutes, break_minutes, company_id, project_id, task_id, interaction_id } = entry;
  // Asked in one turn, so that they leave in one message.
  const [, billable] = await Promise.all([
    requireReferences(entry),
    entry.billable ?? billableOf(project_id),
    requireEntryType(entry.entry_type_key),
  ]);
  const values = {
    user_id,
    started_at,
    ended_at,
    minutes,
    break_minutes,
    billable,
    company_id,
    project_id,
    task_id,
    interaction_id,
    entry_type_key: entry.entry_type_key,
    description: storedDescription(entry.description),
  };
  const id = insert(TimeEntry, withoutBlanks(TimeEntry, values));
  trail("time_entry", id, "created");
  if (user_id === callerId()) enqueue(DROP_DRAFT, [request().organisation.id, user_id, utcDay(started_at)]);
  return id;
}
