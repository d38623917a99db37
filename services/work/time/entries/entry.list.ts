import {
  firstByFlag,
  firstByPerson,
  firstByReference,
  firstByValue,
  personForOrder,
} from "../../../../core/database/lists/first.ts";
import { listing } from "../../../../core/database/lists/list.ts";
import { type NamedRecord, namedForOrder } from "../../../../core/database/named-record.ts";
import { projection } from "../../../../core/database/projection.ts";
import { forbidden } from "../../../../core/errors/errors.ts";
import { mayCaller } from "../../../../core/request/caller.ts";
import { request } from "../../../../core/request/context.ts";
import { date, flag, optional, type TProperties, text, uuid } from "../../../../core/schema/schema.ts";
import { namedClient } from "../../../../mixins/named/named-clients.ts";
import { rowsOf } from "../../../../mixins/resource.ts";
import { CLIENT_THROUGH_TASK } from "../../clients-of-work.ts";
import { onOrAfter, onOrBefore } from "../../days.ts";
import { readHours } from "../../hour-callers.ts";
import { namedProject, namedTask } from "../../named-records.ts";
import { forStaffAndClients, throughTaskOfStaff } from "../../visibility.ts";
import { entriesOfClient } from "../entry-visibility.ts";
import { TimeEntry } from "../models.ts";
import { TimeEntryRead } from "./entry-schemas.ts";

/** The filters of a list of entries. */
export const entryQuery = {
  user_id: optional(uuid()),
  company_id: optional(uuid()),
  project_id: optional(uuid()),
  task_id: optional(uuid()),
  date_from: optional(date()),
  date_to: optional(date()),
  entry_type: optional(text(50)),
  running: optional(flag()),
  all_users: optional(flag(false)),
} satisfies TProperties;

/** Filters of a request; undefined ones do not apply. */
export interface EntriesAsked {
  user_id?: string | undefined;
  company_id?: string | undefined;
  project_id?: string | undefined;
  task_id?: string | undefined;
  date_from?: string | undefined;
  date_to?: string | undefined;
  entry_type?: string | undefined;
  running?: boolean | undefined;
  all_users?: boolean | undefined;
}

/**
 * The person whose entries a list shows: the caller, another with `time.entry.read:any`, or, with `all_users`, everyone. A list of one
 * client, project or task shows everyone's entries to every reader, because budgets already show the team's hours (work chapter §4.1).
 * @returns undefined for everyone
 * @throws 403 for more than the caller may read
 */
export function listedPerson({ user_id, all_users = false, ...about }: EntriesAsked): string | undefined {
  if (!all_users || user_id !== undefined) return readHours(user_id);
  const isNarrow = [about.company_id, about.project_id, about.task_id].some((id) => id !== undefined);
  if (!isNarrow && !mayCaller("time.entry.read:any")) throw forbidden();
  return undefined;
}

/** Converts a request to filters of the listing. */
export function entryFilters(asked: EntriesAsked): Record<string, unknown> {
  const { user_id, company_id, project_id, task_id, entry_type, running, date_from: from, date_to: until } = asked;
  const of_client = request().principal?.isClientLogin ? true : undefined;
  return { user_id, company_id, project_id, task_id, entry_type, running, from, until, of_client };
}

export const entryProjection = projection({
  model: TimeEntry,
  schema: TimeEntryRead,
  columns: { is_running: "t.ended_at is null" },
});

/** Newest first, the default order of the list. */
const NEWEST = "t.started_at desc, t.id";
/** Sorts by the name of the person whose id a column of `t` holds. */
const person = (alias: string, column: string) => ({
  by: `${alias}.name`,
  text: true,
  mayBeEmpty: true,
  join: personForOrder(alias, `t.${column}`),
});
/** Sorts by the name of the record that a column of `t` refers to; a record hidden from the caller sorts as empty. */
const named = (alias: string, record: NamedRecord, column: string) => ({
  by: `${alias}.name`,
  text: true,
  mayBeEmpty: true,
  join: (sources: string) => namedForOrder(alias, record, `t.${column}`, sources),
  first: firstByReference({
    table: "time_entries",
    parent: record.table,
    column,
    by: [`${(record.name as string).replace(/^r\./, "c.")} collate kantoor_text`],
    ties: NEWEST,
  }),
});

/** The list of entries, which is also the report (work chapter §4.1): newest start first. */
export const entryListing = listing(
  {
    table: "time_entries",
    order: "-date",
    sorts: {
      date: { by: "t.started_at" },
      employee: {
        ...person("ra", "user_id"),
        first: firstByPerson({ table: "time_entries", column: "user_id", ties: NEWEST }),
      },
      company: named("rc", namedClient, "company_id"),
      project: named("rp", namedProject(false), "project_id"),
      task: named("rt", namedTask(false), "task_id"),
      description: { by: "t.description", text: true, mayBeEmpty: true, unindexed: true },
      minutes: {
        // Not the index's own expression: with a filter, PostgreSQL would walk the index through the rows of everyone.
        by: "t.minutes + 0",
        unindexed: true,
        first: firstByValue({ table: "time_entries", column: "minutes", ties: NEWEST }),
      },
      billable: {
        by: "t.billable",
        unindexed: true,
        first: firstByFlag({ table: "time_entries", column: "billable", ties: NEWEST }),
      },
      approver: person("rv", "approved_by_user_id"),
      approved_at: { by: "t.approved_at", mayBeEmpty: true, unindexed: true },
      invoiced_at: { by: "t.invoiced_at", mayBeEmpty: true, unindexed: true },
    },
    filters: {
      user_id: { type: "uuid", when: (slot) => `t.user_id = ${slot}` },
      company_id: { type: "uuid", when: (slot) => `t.company_id = ${slot}` },
      project_id: { type: "uuid", when: (slot) => `t.project_id = ${slot}` },
      task_id: { type: "uuid", when: (slot) => `t.task_id = ${slot}` },
      from: { type: "date", when: (slot) => onOrAfter("t", slot) },
      until: { type: "date", when: (slot) => onOrBefore("t", slot) },
      entry_type: { type: "text", when: (slot) => `t.entry_type_key = ${slot}` },
      running: { type: "boolean", when: (slot) => `(t.ended_at is null) = ${slot}` },
      billable: { type: "boolean", when: (slot) => `t.billable = ${slot}` },
      approved: { type: "boolean", when: (slot) => `(t.approved_at is not null) = ${slot}` },
      invoiced: { type: "boolean", when: (slot) => `(t.invoiced_at is not null) = ${slot}` },
      // A client login sees no entries without a client.
      of_client: { type: "boolean", when: (slot) => `(${CLIENT_THROUGH_TASK} is not null) = ${slot}` },
    },
    visible: throughTaskOfStaff,
    kept: { by: "user_id" },
  },
  entryProjection,
);

/** The entries that the current request sees; `listedPerson` decides whose. */
export const entryRows = forStaffAndClients((clients) =>
  rowsOf({
    model: TimeEntry,
    projection: entryProjection,
    listing: entryListing,
    visible: clients ? entriesOfClient : throughTaskOfStaff,
  }),
);
