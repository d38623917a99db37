import type { IsoDate } from "../../../../core/calendar/calendar.ts";
import { columns } from "../../../../core/database/model.ts";
import { jsonArray } from "../../../../core/database/projection.ts";
import { callerId } from "../../../../core/request/caller.ts";
import { request } from "../../../../core/request/context.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { type Bound, type Row, statement } from "../../../../core/sql/statement.ts";
import { type LoggedEntry, onOrAfter, onOrBefore, weekOf } from "../../days.ts";
import { overSeenEntries } from "../entry-visibility.ts";
import { TimeEntry } from "../models.ts";
import { entryProjection } from "./entry.list.ts";
import type { TimeEntryRead } from "./entry-schemas.ts";

export type Entry = Static<typeof TimeEntryRead>;

/** A select of a person's entries as the response shows them; `rest` follows the person's condition. */
const entries = (rest: (seen: string) => string, slot: string) =>
  overSeenEntries((seen) => {
    const chosen = `(select ${columns(TimeEntry, "t")} from time_entries t where t.organisation_id = $1 and t.user_id = $2 and ${rest(seen)})`;
    return `select ${jsonArray(entryProjection.rows(chosen))} as items`;
  }, slot);

const IN_DAYS = `${onOrAfter("t", "$3::date")} and ${onOrBefore("t", "$4::date")}`;
const OF_DAYS = entries((seen) => `${IN_DAYS} and ${seen} order by t.started_at, t.id`, "$5");
/** With the version of the row; a person has at most one. */
const RUNNING = overSeenEntries((seen) => {
  const chosen = `(select ${columns(TimeEntry, "t")} from time_entries t
    where t.organisation_id = $1 and t.user_id = $2 and t.ended_at is null and ${seen})`;
  return `select ${jsonArray(entryProjection.rows(chosen))} as items, (select max(r.version) from ${chosen} r) as version`;
}, "$3");
const RECENT = entries((seen) => `${seen} order by t.started_at desc, t.id desc limit 1`, "$3");
const WEEK = overSeenEntries(
  (
    seen,
  ) => `select t.company_id, t.project_id, t.task_id, t.work_date, t.started_at, t.ended_at, t.minutes, t.billable from time_entries t
    where t.organisation_id = $1 and t.user_id = $2 and ${IN_DAYS} and ${seen}
    order by t.started_at, t.id`,
  "$5",
);
const DRAFT = statement(`select entry_date, payload, updated_at from time_drafts
  where organisation_id = $1 and account_id = $2 and entry_date = $3`);
const DRAFT_DAYS = statement(`select entry_date from time_drafts
  where organisation_id = $1 and account_id = $2 and entry_date between $3 and $4 order by entry_date`);

const ofPerson = (userId: string): [string, string] => [request().organisation.id, userId];

/** Statements about one person, to send together. */
export const reads = {
  day: (userId: string, date: IsoDate): Bound => OF_DAYS([...ofPerson(userId), date, date]),
  week: (userId: string, date: IsoDate): Bound => {
    const { week_start, days } = weekOf(date);
    return WEEK([...ofPerson(userId), week_start, days.at(-1)]);
  },
  running: (userId: string): Bound => RUNNING(ofPerson(userId)),
  recent: (userId: string): Bound => RECENT(ofPerson(userId)),
  /** A draft is private to its author: another person's day finds none (work chapter §4.3). */
  draft: (userId: string, date: IsoDate): Bound => [DRAFT, [request().organisation.id, authorOf(userId), date]],
  draftDays: (userId: string, date: IsoDate): Bound => {
    const { week_start, days } = weekOf(date);
    return [DRAFT_DAYS, [request().organisation.id, authorOf(userId), week_start, days.at(-1)]];
  },
};

const authorOf = (userId: string): string | null => (userId === callerId() ? userId : null);

/** The entries in the result of such a statement. */
export const entriesIn = (rows: readonly Row[] | undefined): Entry[] => JSON.parse((rows?.[0]?.["items"] as string) ?? "[]");
/** The one entry in the result of such a statement, or null. */
export const entryIn = (rows: readonly Row[] | undefined): Entry | null => entriesIn(rows)[0] ?? null;
/** The entries of a week for `timesheetWeek`. */
export const loggedIn = (rows: readonly Row[] | undefined): LoggedEntry[] => (rows ?? []) as unknown as LoggedEntry[];
