import { utcInstant } from "../../../../core/calendar/calendar.ts";
import { columns } from "../../../../core/database/model.ts";
import { namedRecord } from "../../../../core/database/named-record.ts";
import { query } from "../../../../core/database/query.ts";
import type { Values } from "../../../../core/database/write.ts";
import { isApiError } from "../../../../core/errors/errors.ts";
import { newValues } from "../../../../core/impex/changes.ts";
import type { ImpexEntity, ImportRows, Opened, Outcome, Refused } from "../../../../core/impex/entity.ts";
import { exportedIds } from "../../../../core/impex/exported-ids.ts";
import { rememberedId } from "../../../../core/impex/identity.ts";
import { refusedBy } from "../../../../core/impex/import.ts";
import { callerId, mayCaller } from "../../../../core/request/caller.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationZone } from "../../../../core/request/today.ts";
import { type CheckFor, compileBody } from "../../../../core/schema/validation.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { clientWord } from "../../../../mixins/named/named-clients.ts";
import { exportedProject } from "../../impex/named-projects.ts";
import { forStaffAndClients } from "../../visibility.ts";
import { type EntriesAsked, entryFilters, entryListing, entryQuery, listedPerson } from "../entries/entry.list.ts";
import { changeEntry, lockEntry } from "../entries/entry-changes.ts";
import { TimeEntryUpdate } from "../entries/entry-schemas.ts";
import { createEntry } from "../entry-writes.ts";
import { TimeEntry, type TimeEntryRow } from "../models.ts";
import { seedEntryTypes } from "../types/entry-types.ts";
import { ENTRY_COLUMNS } from "./entry-columns.ts";
import { type EntryMatch, matchEntries } from "./entry-matching.ts";
import { EntryMeanings, type ReadEntry } from "./entry-meanings.ts";
import { exportedTask } from "./named-tasks.ts";
import { newTimes } from "./sheet-times.ts";

/** Writes the names of unknown tasks into descriptions. */
const DESCRIBE_TASKS = "describe_unknown_tasks";

const STORED = statement(
  `select ${columns(TimeEntry, "t")} from time_entries t where t.organisation_id = $1 and t.id = any($2::uuid[])`,
);
const ROWS = forStaffAndClients((clients) =>
  statement(`select t.id, a.email as employee, client.word as company, project.name as project, task.name as task,
    t.description, t.entry_type_key, t.started_at, t.ended_at, t.minutes, t.break_minutes, t.billable
  from unnest($2::uuid[]) with ordinality w(id, n) join time_entries t on t.organisation_id = $1 and t.id = w.id
  left join accounts a on a.id = t.user_id
  left join lateral (select ${clientWord("$3::uuid[]")} as word from companies c
    where c.organisation_id = t.organisation_id and c.id = t.company_id) client on true
  ${namedRecord("project", exportedProject(clients), "t.project_id", "$3::uuid[]")}
  ${namedRecord("task", exportedTask(clients), "t.task_id", "$3::uuid[]")}
  order by w.n`),
);
const ids = exportedIds(entryListing.spec, "t.started_at, t.created_at, t.id");
const checkUpdate: CheckFor<typeof TimeEntryUpdate> = compileBody(TimeEntryUpdate, false);

const instant = (stored: string | null): string | null => stored && utcInstant(stored);

/** Whether the caller can write a person's hours: its own, or anyone's with `time.entry.write:any` (work chapter §4.1). */
const mayWriteFor = (userId: string): boolean => userId === callerId() || mayCaller("time.entry.write:any");

async function create({ user_id, times: said, about }: ReadEntry, id: string | undefined): Promise<Outcome> {
  if (user_id === undefined) return { employee: "errors.required" };
  if (!mayWriteFor(user_id)) return { employee: "errors.forbidden" };
  const times = newTimes(said, organisationZone());
  if ("refused" in times) return times.refused;
  await createEntry({ ...about, ...times, user_id }, id === undefined ? undefined : rememberedId("time_entry", id));
  return "created";
}

/**
 * The end of a row that gives a start and minutes. Without it a moved start would leave the stored end in place, and the minutes of the row
 * would be lost.
 */
function endOf({ started_at, minutes, break_minutes }: ReadEntry["times"], stored: number): string | undefined {
  if (started_at === undefined || minutes === undefined) return undefined;
  return utcInstant(Date.parse(started_at) + (minutes + (break_minutes ?? stored)) * 60_000);
}

async function change(before: TimeEntryRow, { user_id, times, about }: ReadEntry, row: Values): Promise<Outcome> {
  if (row["employee"] !== undefined && user_id !== before.user_id) return { employee: "errors.validation" };
  const ended_at = times.ended_at ?? endOf(times, before.break_minutes);
  const sent = {
    ...times,
    started_at: times.started_at && utcInstant(times.started_at),
    ended_at: ended_at && utcInstant(ended_at),
  };
  const stored = { ...before, started_at: instant(before.started_at), ended_at: instant(before.ended_at) };
  const said = Object.fromEntries(Object.entries({ ...about, ...sent }).filter(([, value]) => value !== undefined));
  const body: Values = newValues(stored, said);
  if (Object.keys(body).length === 0) return "unchanged";
  checkUpdate(body);
  const locked = await lockEntry(before.id);
  await changeEntry(locked, body);
  return "updated";
}

/** A refusal as an error of its row, so that one forbidden entry, such as an approved one or another person's, does not stop the import. */
function refusedRow(error: unknown): Refused {
  if (isApiError(error) && error.code === 403) return { _: error.message };
  return refusedBy(error);
}

/** Errors of a row by its columns. */
const asColumns = (refused: Refused): Refused =>
  Object.fromEntries(Object.entries(refused).map(([field, error]) => [COLUMN_OF[field] ?? field, error]));
const COLUMN_OF: Readonly<Record<string, string>> = { company_id: "company", project_id: "project", task_id: "task" };

async function open(rows: ImportRows, switched: ReadonlySet<string>): Promise<Opened> {
  const meanings = await EntryMeanings.open(rows, switched.has(DESCRIBE_TASKS));
  const matches = await matchEntries(rows, meanings);
  let stored = new Map<string, TimeEntryRow>();
  return {
    async load(from, to) {
      const asked = matches.slice(from, to).flatMap((match) => ("change" in match ? match.change : []));
      const found = asked.length > 0 ? await query<TimeEntryRow>(STORED, [request().organisation.id, asked]) : [];
      stored = new Map(found.map((row) => [row.id, row]));
    },
    async write(index) {
      const match = matches[index] as EntryMatch;
      if ("refused" in match) return match.refused;
      const row = rows.at(index);
      const read = meanings.read(row);
      if ("refused" in read) return read.refused;
      const before = "change" in match ? stored.get(match.change) : undefined;
      const work = before ? change(before, read, row) : create(read, row["id"] as string | undefined);
      const outcome = await work.catch(refusedRow);
      return typeof outcome === "string" ? outcome : asColumns(outcome);
    },
    words: { entry_type_key: meanings.types },
  };
}

/** Hours, each of a member on a client, a project and a task, all of which must exist already. */
export const timeEntry: ImpexEntity = {
  name: "time_entry",
  plural: "time-entries",
  read: "time.entry.read",
  write: "time.entry.write",
  fields: ENTRY_COLUMNS,
  firstUse: async () => seedEntryTypes(),
  switches: [{ key: DESCRIBE_TASKS, about: "Prefix the description with the name of a task that does not exist", needs: [] }],
  matching:
    "Rows match on id if the file is an export, else on all identifying fields of an entry, so that a second import creates nothing twice. employee is the e-mail address or full name of a member; others' hours require time.entry.write:any, and without the column they are the caller's own. company is a client number, a name or an id, company_name a name, project and task a name or an id. started_at and ended_at are instants; date, start_time, end_date and end_time the same in parts, a date alone from 09:00. Times without an offset from UTC are on the organisation's clock. duration is 1:30, 1:30:00 or hours; no entry is longer than 24 hours. A task sets a missing project, and a project a missing client.",
  known: {
    columns: ["employee", "entry_type_key", "task"],
    open: async (file) =>
      EntryMeanings.known(file.decides && !file.switched.has(DESCRIBE_TASKS) ? await file.in("task") : new Set()),
  },
  open,
  filters: entryQuery,
  everything: { all_users: true },
  ids({ updated_since, ...filters }) {
    const asked = filters as EntriesAsked;
    const user_id = listedPerson(asked);
    // A running timer has no end that an import could read.
    const found = {
      running: false,
      ...Object.fromEntries(Object.entries(entryFilters(asked)).filter(([, value]) => value !== undefined)),
    };
    return ids({ updated_since: updated_since as string | undefined, filters: { ...found, user_id } });
  },
  async rows(wanted) {
    const { organisation, principal } = request();
    const found = await query<Values & { started_at: string; ended_at: string | null }>(ROWS(), [
      organisation.id,
      wanted,
      principal?.selection ?? null,
    ]);
    return found.map((row) => ({ ...row, started_at: instant(row.started_at), ended_at: instant(row.ended_at) }));
  },
};
