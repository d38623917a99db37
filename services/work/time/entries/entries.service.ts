import { listQuery } from "../../../../core/database/lists/list.ts";
import { action } from "../../../../core/declare/action.ts";
import { internal } from "../../../../core/declare/makers/internal.ts";
import { notFound } from "../../../../core/errors/errors.ts";
import { callerId, scopeOf } from "../../../../core/request/caller.ts";
import { flag, list, page, uuid } from "../../../../core/schema/schema.ts";
import { reaches } from "../../../../core/values/scope.ts";
import { resource } from "../../../../mixins/resource.ts";
import { ownHours } from "../../hour-callers.ts";
import { createEntry } from "../entry-writes.ts";
import { TimeEntry } from "../models.ts";
import { entryFilters, entryListing, entryQuery, entryRows, listedPerson } from "./entry.list.ts";
import { changeEntry, deleteEntry, lockEntry, sentTimes } from "./entry-changes.ts";
import { BulkResult, EntryApproval, EntryInvoiced, TimeEntryCreate, TimeEntryRead, TimeEntryUpdate } from "./entry-schemas.ts";
import { stampEntries } from "./entry-stamps.ts";

const { q: _unsearchable, ...paging } = listQuery(entryListing.spec.sorts);

export default resource("time.entries", {
  model: TimeEntry,
  actions: {
    list: action({
      rest: "GET /time/entries",
      summary: "List time entries",
      description:
        "Your own; another person's with `time.entry.read:any`. `all_users` includes everyone's: of one client, project or task for every reader, else with `time.entry.read:any`. Dates are the entries' `work_date`, both included.",
      permission: "time.entry.read",
      query: { ...paging, ...entryQuery },
      returns: page(TimeEntryRead),
      handler(ctx) {
        const user_id = listedPerson(ctx.params);
        return entryRows().page(ctx.params, { ...entryFilters(ctx.params), user_id });
      },
    }),

    create: action({
      rest: "POST /time/entries",
      summary: "Log time of your own",
      description:
        "`started_at` with `ended_at`, which counts when both are sent, or with `minutes`; at most 24 hours. An end before the start is on the next day. An instant without offset is what the organisation's clock shows. A task without `project_id` takes the task's project, and without `company_id` that project's client, else the task's; an explicit null stays null.",
      permission: "time.entry.write",
      body: TimeEntryCreate,
      example: { started_at: "2026-03-02T09:30:00Z", duration: "1u30", description: "Ontwerp", entry_type_key: "work" },
      returns: TimeEntryRead,
      errors: ["not_found", "forbidden"],
      tool: {
        name: "log_time",
        description:
          "Logs hours of the caller's own on a task, project or client. `minutes` alone end now; `started_at` with `ended_at` or with `minutes`, times without an offset are on the organisation's clock.",
        defaults: { started_at: "ends_now" },
        takes: ["started_at", "ended_at", "minutes", "task_id", "project_id", "company_id", "description", "billable"],
      },
      async handler(ctx) {
        const user_id = ownHours();
        const { body } = ctx.params;
        return entryRows().answerWith(await createEntry({ ...body, ...sentTimes(body), user_id }));
      },
    }),

    get: action({
      rest: "GET /time/entries/:entry_id",
      summary: "Read one time entry",
      permission: "time.entry.read",
      returns: TimeEntryRead,
      async handler(ctx) {
        const found = await entryRows().one(ctx.params.entry_id);
        const { user_id } = found.parse() as { user_id: string };
        if (!reaches(scopeOf("time.entry.read"), callerId(), user_id)) throw notFound();
        return found;
      },
    }),

    update: action({
      rest: "PATCH /time/entries/:entry_id",
      summary: "Change a time entry",
      description:
        "An end wins over minutes and recomputes them. Otherwise minutes, or another start, move the end: an entry that moves keeps its hours. Another break alone recomputes the minutes. An end or minutes stop a timer. An approved entry is locked except for approvers. If an issued document bills it, only description and type can change. Another task or project also sets its project, client and, for another project, billable, unless they are sent.",
      permission: "time.entry.write",
      body: TimeEntryUpdate,
      example: { started_at: "2026-03-02T09:30:00Z", ended_at: "2026-03-02T11:00:00Z", break_minutes: 15, billable: true },
      returns: TimeEntryRead,
      errors: ["approved_locked", "conflict errors.time_entry_invoiced"],
      async handler(ctx) {
        const id = ctx.params.entry_id;
        await changeEntry(await lockEntry(id), ctx.params.body);
        return entryRows().answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /time/entries/:entry_id",
      summary: "Delete a time entry; a planned block that became it is open again",
      permission: "time.entry.write",
      errors: ["approved_locked", "conflict errors.time_entry_invoiced"],
      async handler(ctx) {
        await deleteEntry(await lockEntry(ctx.params.entry_id));
      },
    }),

    approve: action({
      rest: "POST /time/entries/approve",
      summary: "Approve entries, or take it back",
      description:
        "Skips running entries and those that the caller does not see. Notifies each worker once; removing the approval also clears the invoiced mark, and is refused while an issued document bills one of them.",
      permission: "time.entry.approve",
      status: 200,
      body: EntryApproval,
      returns: BulkResult,
      errors: ["conflict errors.time_entry_invoiced"],
      async handler(ctx) {
        const { entry_ids: ids, approved = true } = ctx.params.body;
        return { updated: await stampEntries(approved ? "approved" : "unapproved", ids) };
      },
    }),

    invoice: action({
      rest: "POST /time/entries/invoice",
      summary: "Mark entries as invoiced, or take it back",
      description:
        "Skips running entries and those that the caller does not see. Also approves unapproved entries. Removing the mark is refused while an issued document bills one of them.",
      permission: "time.entry.invoice",
      status: 200,
      body: EntryInvoiced,
      returns: BulkResult,
      errors: ["conflict errors.time_entry_invoiced"],
      async handler(ctx) {
        const { entry_ids: ids, invoiced = true } = ctx.params.body;
        return { updated: await stampEntries(invoiced ? "invoiced" : "uninvoiced", ids) };
      },
    }),

    stamp: internal({
      summary: "Sets or clears that entries are invoiced, for actors that put them on an invoice or take them off",
      description: "By ids, under the caller's selection; an entry that was not approved is then.",
      open: "only actors of the service call it, which have judged their own caller",
      query: { entry_ids: list(uuid()), invoiced: flag() },
      writes: true,
      handler: async ({ params: { entry_ids: ids, invoiced } }) => ({
        updated: await stampEntries(invoiced ? "invoiced" : "uninvoiced", ids),
      }),
    }),
  },
});
