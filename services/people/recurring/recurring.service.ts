import { sinceQuery } from "../../../core/database/lists/list.ts";
import { differences, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { forbidden, notFound } from "../../../core/errors/errors.ts";
import { flag, list, optional, readInstant, type Static, uuid } from "../../../core/schema/schema.ts";
import { resource } from "../../../mixins/resource.ts";
import { leaveCaller, refuseWith } from "../callers.ts";
import { RecurringDayModel, type RecurringDayRow } from "../models.ts";
import { lockEverybody, lockPeople } from "../person-lock.ts";
import { withoutSeconds } from "../requests/edit.ts";
import { loadCases } from "../requests/leave-case.ts";
import { cancelRequests } from "../requests/request-cancel.ts";
import { NOBODY, noteOf, refuseFields } from "../sent.ts";
import { loadSources } from "../sources.ts";
import { editedPattern, type Pattern, patternErrors, planDecision, storedCadence } from "./recurrence.ts";
import { placeDays } from "./recurring-placement.ts";
import {
  activePatterns,
  daysAhead,
  listPatterns,
  lockedPattern,
  managesProfiles,
  removePattern,
  savedPattern,
} from "./recurring-rows.ts";
import {
  LeaveRecurringDayCreate,
  LeaveRecurringDayRead,
  LeaveRecurringDaySaved,
  LeaveRecurringDayUpdate,
  LeaveRecurringDeleteResult,
} from "./recurring-schemas.ts";

/** The person whose patterns are listed; null for everyone. @throws 403 for another person's without leave.profile.manage */
function listedPerson(asked: string | undefined): string | null {
  const own = leaveCaller().user_id;
  if (managesProfiles()) return asked ?? null;
  if (asked !== undefined && asked.toLowerCase() !== own) throw forbidden();
  return own ?? NOBODY;
}

const planner = () => ({ user_id: leaveCaller().user_id ?? NOBODY, manages_profiles: managesProfiles() });

/**
 * Requires that the caller could have planned a stored pattern; PATCH and DELETE both need it (people §9, "Pattern").
 * @throws 403 `errors.leave_recurring_needs_manager`
 */
async function requirePlanner({ user_id, leave_type_id }: RecurringDayRow): Promise<void> {
  const { types } = await loadSources({ users: [user_id] });
  const type = types.find(({ id }) => id === leave_type_id);
  const plan = planDecision(planner(), user_id, { active: true, requires_approval: type?.requires_approval ?? true });
  if (!plan.allowed) refuseWith(plan.refusal);
}

/**
 * Validates a pattern and requires that the caller may plan it for the person (people §9, "Pattern").
 * @param keepsType a pattern that keeps its type may keep an inactive one
 * @throws 404 for a non-member and for an unknown type, 403, 422 of the rules
 */
async function requirePlannable(userId: string, pattern: Pattern, keepsType: boolean): Promise<void> {
  const other = planDecision(planner(), userId, { active: true, requires_approval: false });
  if (!other.allowed) refuseWith(other.refusal);
  const sources = await loadSources({ users: [userId] });
  const type = sources.types.find(({ id }) => id === pattern.leave_type_id);
  if (!sources.person(userId).member || type === undefined) throw notFound();
  const plan = planDecision(planner(), userId, { ...type, active: type.active || keepsType });
  if (!plan.allowed) refuseWith(plan.refusal);
  refuseFields(patternErrors(pattern));
}

const time = (text: string | null | undefined) => withoutSeconds(text ?? null);

async function createPattern(body: Static<typeof LeaveRecurringDayCreate>): Promise<{ id: string; generated: number }> {
  const { anchor_date, interval_weeks = 1, days_per_year = null } = body;
  const pattern = {
    user_id: body.user_id.toLowerCase(),
    leave_type_id: body.leave_type_id.toLowerCase(),
    anchor_date,
    interval_weeks: storedCadence(interval_weeks, days_per_year),
    days_per_year,
    start_time: time(body.start_time),
    end_time: time(body.end_time),
    note: noteOf(body.note),
    active: true,
  };
  lockPeople([pattern.user_id]);
  await requirePlannable(pattern.user_id, pattern, false);
  const id = queueInsert(RecurringDayModel, pattern);
  return { id, generated: await placeDays([{ id, ...pattern }], [pattern.user_id]) };
}

/** Updates a locked pattern, places its new days and returns their number. */
async function changePattern(row: RecurringDayRow, body: Static<typeof LeaveRecurringDayUpdate>): Promise<number> {
  const { leave_type_id, note: _note, ...patch } = body;
  const times = Object.fromEntries(
    (["start_time", "end_time"] as const).flatMap((bound) => (bound in body ? [[bound, time(body[bound])]] : [])),
  );
  const typed = leave_type_id === undefined ? {} : { leave_type_id: leave_type_id.toLowerCase() };
  const edited = editedPattern<Pattern>(row, { ...patch, ...times, ...typed } as Partial<Pattern>);
  await requirePlannable(row.user_id, edited, edited.leave_type_id === row.leave_type_id);
  const after = { ...edited, ...("note" in body && { note: noteOf(body.note) }) };
  const changed = differences(row, after);
  if (changed) queueUpdate(RecurringDayModel, row.id, changed);
  return placeDays([{ ...row, ...after }], [row.user_id]);
}

export default resource("leave.recurring", {
  model: RecurringDayModel,
  actions: {
    list: action({
      rest: "GET /leave/recurring",
      summary: "List recurring free days",
      description: "Your own; with `leave.profile.manage` one person's or everyone's.",
      permission: "leave.request.read",
      query: { user_id: optional(uuid()), ...sinceQuery },
      returns: list(LeaveRecurringDayRead),
      handler(ctx) {
        const { user_id, updated_since: since } = ctx.params;
        return listPatterns(listedPerson(user_id), since === undefined ? null : readInstant(since));
      },
    }),

    create: action({
      rest: "POST /leave/recurring",
      summary: "Plan recurring free days and place them",
      description: "A member plans own days of a type without approval; `leave.profile.manage` any type for anyone.",
      permission: "leave.request.write",
      body: LeaveRecurringDayCreate,
      returns: LeaveRecurringDaySaved,
      errors: ["not_found", "forbidden"],
      async handler(ctx) {
        const { id, generated } = await createPattern(ctx.params.body);
        return savedPattern(id, generated);
      },
    }),

    update: action({
      rest: "PATCH /leave/recurring/:recurring_id",
      summary: "Change a pattern and place the days it then allows; days already placed stay",
      permission: "leave.request.write",
      body: LeaveRecurringDayUpdate,
      returns: LeaveRecurringDaySaved,
      async handler(ctx) {
        const id = ctx.params.recurring_id;
        const pattern = await lockedPattern(id);
        await requirePlanner(pattern);
        return savedPattern(id, await changePattern(pattern, ctx.params.body));
      },
    }),

    remove: action({
      rest: "DELETE /leave/recurring/:recurring_id",
      summary: "Delete a pattern",
      description: "Placed days stay, unless `withdraw_days` cancels those from today on that the caller can cancel.",
      permission: "leave.request.write",
      query: { withdraw_days: optional(flag(false)) },
      status: 200,
      returns: LeaveRecurringDeleteResult,
      async handler(ctx) {
        const pattern = await lockedPattern(ctx.params.recurring_id);
        await requirePlanner(pattern);
        let withdrawn = 0;
        if (ctx.params.withdraw_days) {
          const [days, sources] = await Promise.all([daysAhead(pattern.id), loadSources({ users: [pattern.user_id] })]);
          withdrawn = (await cancelRequests(days, sources, await loadCases(sources))).cancelled.length;
        }
        removePattern(pattern.id);
        return { withdrawn };
      },
    }),
  },

  jobs: {
    "leave.place-days": {
      about: "Places the days of recurring patterns ahead",
      module: "leave",
      schedule: "30 4 1 * *",
      worksOn: ["leave_recurring_days"],
      spread: 25,
      async handler(run) {
        await run.write(async () => {
          lockEverybody();
          await placeDays(await activePatterns(), "all");
        });
      },
    },
  },
});
