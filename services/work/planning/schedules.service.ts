import { sinceQuery } from "../../../core/database/lists/list.ts";
import { differences, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { forbidden, invalid, refusal } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { callerId, mayCaller, NO_PERSON, scopeOf } from "../../../core/request/caller.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { primaryOf } from "../../../core/rules/roster.ts";
import { date, list, optional, readInstant, type Static, Type, uuid } from "../../../core/schema/schema.ts";
import { reaches } from "../../../core/values/scope.ts";
import { blankToNull } from "../../../core/values/text.ts";
import { remainingRoster, requireAssignable } from "../../../mixins/assignees.ts";
import { resource } from "../../../mixins/resource.ts";
import { requireTask, taskRosters } from "../task-access.ts";
import { Schedule } from "../task-models.ts";
import { writtenMinutes } from "../time/durations.ts";
import { loggedBlockTimes } from "../time/entry-times.ts";
import { createEntry, describedBy } from "../time/entry-writes.ts";
import { type Block, lockBlock, readBlock, writtenBlock } from "./block-rows.ts";
import { blocksIn } from "./block-window.ts";
import { blockPayload, emitScheduled, logBlock, planBlock, requireOpen, titleOf } from "./block-writes.ts";
import { movedBlock } from "./planned-blocks.ts";
import { ScheduleCreate, ScheduleItem, ScheduleLogTime, ScheduleRead, ScheduleUpdate } from "./schedule-schemas.ts";

/** Dates whose instants PostgreSQL and every time zone can represent. */
const DAYS = { first: "1970-01-01", last: "9998-12-31" } as const;

/** @throws 422 on the field for a date outside that range */
function requireDays(days: Readonly<Record<string, string | undefined>>): void {
  const wrong = Object.entries(days).filter(([, day]) => day !== undefined && (day < DAYS.first || day > DAYS.last));
  if (wrong.length > 0) throw invalid(Object.fromEntries(wrong.map(([name]) => [name, "errors.validation"])));
}

/** @throws 403 for a block of another person without `tasks.schedule.write` at `:any` (work chapter §3.10) */
function requireOwn(personId: string | null): void {
  if (!reaches(scopeOf("tasks.schedule.write"), callerId(), personId ?? NO_PERSON)) throw forbidden();
}

/** The people whose blocks a read returns; null means everyone. @throws 403 for others' without `:any` */
function listedPeople(asked: readonly string[] | undefined, ofTask: boolean): string[] | null {
  const own = callerId() ?? NO_PERSON;
  const any = mayCaller("tasks.schedule.read:any");
  if (asked === undefined) return ofTask && any ? null : [own];
  const people = asked.map((id) => id.toLowerCase());
  if (!any && people.some((id) => id !== own)) throw forbidden();
  return people;
}

/**
 * The person a new block is for: the one named, else the task's starred one, or whoever of its roster is next while that one is inactive,
 * else the caller.
 * @throws 422 if the caller is not a person
 */
async function plannedFor(taskId: string, named: string | null | undefined): Promise<string> {
  const person = named?.toLowerCase() ?? primaryOf((await remainingRoster(await taskRosters.read(taskId))).roster) ?? callerId();
  if (person === null) throw invalid({ user_id: "errors.required" });
  return person;
}

/** The changes an update makes to a block: its time, person and note. */
function changed(before: Block, { user_id, note, ...moved }: Static<typeof ScheduleUpdate>) {
  const isMoved = Object.values(moved).some((value) => value !== undefined);
  const now = isMoved ? movedBlock(before, moved, organisationZone()) : null;
  const isElsewhere = now !== null && differsInTime(before, now);
  return differences(before, { user_id: user_id?.toLowerCase(), note: blankToNull(note), ...(isElsewhere && now) });
}

const differsInTime = (one: Pick<Block, "starts_at" | "ends_at">, other: Pick<Block, "starts_at" | "ends_at">): boolean =>
  Date.parse(one.starts_at) !== Date.parse(other.starts_at) || Date.parse(one.ends_at) !== Date.parse(other.ends_at);

export default resource("tasks.schedules", {
  model: Schedule,
  actions: {
    list: action({
      rest: "GET /tasks/schedules",
      summary: "List the planned blocks that overlap a window of days, or those of a task",
      description: "Your own unless `user_ids` names others; of a task everyone's for a caller who can read them.",
      permission: "tasks.schedule.read",
      query: {
        date_from: optional(date()),
        date_to: optional(date()),
        user_ids: optional(Type.Array(uuid())),
        task_id: optional(uuid()),
        ...sinceQuery,
      },
      returns: list(ScheduleItem),
      errors: ["required"],
      async handler(ctx) {
        const { date_from: from, date_to: to, user_ids: asked, task_id: task, updated_since: since } = ctx.params;
        if (task === undefined && (from === undefined || to === undefined)) {
          const missing = Object.entries({ date_from: from, date_to: to }).filter(([, day]) => day === undefined);
          throw refusal("required", undefined, {
            fields: Object.fromEntries(missing.map(([name]) => [name, "errors.required"])),
          });
        }
        requireDays({ date_from: from, date_to: to });
        return blocksIn({
          from: from ?? null,
          to: to ?? null,
          people: listedPeople(asked, task !== undefined),
          task: task ?? null,
          since: since === undefined ? null : readInstant(since),
        });
      },
    }),

    create: action({
      rest: "POST /tasks/schedules",
      summary: "Plan a block of work on a task",
      description:
        "For the person named, else the task's starred one, else the caller. The day and the time are the organisation's.",
      permission: "tasks.schedule.write",
      body: ScheduleCreate,
      returns: ScheduleRead,
      errors: ["invalid_assignee", "validation errors.inactive_member", "not_found"],
      async handler(ctx) {
        const { body } = ctx.params;
        requireDays({ day: body.day });
        const { id: task_id } = await requireTask(body.task_id);
        const user_id = await plannedFor(task_id, body.user_id);
        requireOwn(user_id);
        await requireAssignable([user_id], "user_id", "members");
        return writtenBlock(await planBlock({ ...body, task_id, user_id }));
      },
    }),

    get: action({
      rest: "GET /tasks/schedules/:schedule_id",
      summary: "Read one planned block",
      permission: "tasks.schedule.read",
      returns: ScheduleRead,
      handler: (ctx) => readBlock(ctx.params.schedule_id),
    }),

    update: action({
      rest: "PATCH /tasks/schedules/:schedule_id",
      summary: "Move a planned block, or assign it to another person",
      description: "Moving only the day keeps the time on the clock.",
      permission: "tasks.schedule.write",
      body: ScheduleUpdate,
      returns: ScheduleRead,
      errors: ["invalid_assignee", "validation errors.inactive_member"],
      async handler(ctx) {
        const { schedule_id: id, body } = ctx.params;
        requireDays({ day: body.day });
        const before = await lockBlock(id, "tasks.schedule.read", "tasks.schedule.write");
        requireOwn(before.user_id);
        const now = changed(before, body);
        if (now?.user_id !== undefined) requireOwn(now.user_id);
        requireMatch(before.version);
        if (!now) return writtenBlock(id);
        if (now.user_id) await requireAssignable([now.user_id], "user_id", "members");
        const title = await titleOf(before.task_id);
        const block = { ...before, ...now };
        queueUpdate(Schedule, id, now);
        if (now.user_id) emitScheduled(block, title);
        emit("schedule.saved", "task_schedule", id, blockPayload(block, title));
        return writtenBlock(id);
      },
    }),

    remove: action({
      rest: "DELETE /tasks/schedules/:schedule_id",
      summary: "Remove a planned block; hours logged from it stay",
      permission: "tasks.schedule.write",
      async handler(ctx) {
        const id = ctx.params.schedule_id;
        const block = await lockBlock(id, "tasks.schedule.read", "tasks.schedule.write");
        requireOwn(block.user_id);
        requireMatch(block.version);
        emit("schedule.gone", "task_schedule", id, blockPayload(block, await titleOf(block.task_id)));
        queueRemove(Schedule, id);
      },
    }),

    logTime: action({
      rest: "POST /tasks/schedules/:schedule_id/log-time",
      summary: "Write the hours of your own planned block, once",
      description:
        "As many minutes as the block has less the break, or as many as are sent. Project and client are those of the task, and billable as the project has it where it is left out. Deleting the entry opens the block again.",
      permission: "time.entry.write",
      body: ScheduleLogTime,
      example: { duration: "1u30", description: "Ontwerp" },
      returns: ScheduleRead,
      status: 200,
      conditional: true,
      errors: ["schedule_already_logged"],
      async handler(ctx) {
        const { schedule_id: id, body } = ctx.params;
        const block = await lockBlock(id, "tasks.schedule.read");
        requireOpen(block);
        requireMatch(block.version);
        const { title } = await requireTask(block.task_id);
        const entry = await createEntry({
          ...loggedBlockTimes(block, { ...body, minutes: writtenMinutes(body) }, organisationZone()),
          user_id: block.user_id as string,
          task_id: block.task_id,
          description: describedBy(body.description, title),
          entry_type_key: body.entry_type_key,
          billable: body.billable,
        });
        logBlock(id, entry);
        return writtenBlock(id);
      },
    }),
  },
});
