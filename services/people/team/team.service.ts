import { yearOf } from "../../../core/calendar/calendar.ts";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { date, list, optional, readInstant, type Static, uuid } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { leaveCaller } from "../callers.ts";
import { expectedHolidays, holidaysOf } from "../holidays/expected-holidays.ts";
import { windowErrors } from "../limits.ts";
import { balanceSources, settledSources } from "../pots/pots.ts";
import { LeaveSummary, TeamLeaveItem } from "../requests/request-schemas.ts";
import { refuseFields } from "../sent.ts";
import { type LeaveSources, loadSources } from "../sources.ts";
import { absenceOn, fullyAbsent } from "../working-time/coverage.ts";
import { spanCost } from "../working-time/span-cost.ts";
import { layOut, leaveInstants } from "../working-time/team-layout.ts";
import { summary } from "./summary.ts";
import { type NamedRequest, requestsTouching } from "./touching.ts";

/** A request in the team view: its stored hours distributed over its days by today's calendar and weeks (people §11). */
function teamItem(
  { note: _note, updated_at: _changed, ...leave }: NamedRequest,
  { person, zone }: LeaveSources,
  holidays: ReadonlySet<string>,
): Static<typeof TeamLeaveItem> {
  const who = person(leave.user_id);
  return {
    ...leave,
    days: layOut(leave.hours, spanCost(leave, who, holidays)),
    ...leaveInstants(leave, who, zone),
  };
}

/** The summary of a service account, which has no leave of its own. */
const nothing = (year: number): Static<typeof LeaveSummary> => ({
  year,
  remaining_hours: "0.00",
  hours_per_week: "0.00",
  hours_per_day: "0.00",
  pending_count: 0,
  next_leave_id: null,
  next_leave_start: null,
  next_leave_end: null,
});

export default service("leave.team", {
  actions: {
    list: action({
      rest: "GET /leave/team",
      summary: "Who is away in a window of at most 400 days",
      description: "Pending and approved leave of everyone, or of one person; requires only `leave.request.read`.",
      permission: "leave.request.read",
      query: { date_from: date(), date_to: date(), user_id: optional(uuid()), ...sinceQuery },
      returns: list(TeamLeaveItem),
      tool: {
        name: "who_is_away",
        description: "Who is away in a window of days.",
        inArea: true,
        takes: ["date_from", "date_to"],
      },
      async handler(ctx) {
        const { date_from, date_to, user_id, updated_since: since } = ctx.params;
        refuseFields(windowErrors(date_from, date_to));
        const [requests, sources] = await Promise.all([
          requestsTouching(
            date_from,
            date_to,
            ["pending", "approved"],
            user_id ?? null,
            since === undefined ? null : readInstant(since),
          ),
          loadSources({ users: user_id === undefined ? "all" : [user_id] }),
        ]);
        const holidays = await holidaysOf(requests, sources);
        return requests.map((leave) => teamItem(leave, sources, holidays));
      },
    }),

    summary: action({
      rest: "GET /leave/summary",
      summary: "Your own leave at a glance: remaining this year, pending, and next",
      permission: "leave.request.read",
      writes: true,
      returns: LeaveSummary,
      async handler() {
        const year = yearOf(organisationToday());
        const { user_id } = leaveCaller();
        if (user_id === null) return nothing(year);
        const sources = await settledSources([user_id], [year]);
        const person = sources.person(user_id);
        return summary(balanceSources(sources, person), person, person.bookings);
      },
    }),

    absent: internal({
      summary: "List which of some people had all their scheduled hours covered by approved leave and holidays",
      description: "For other actors, of many people at once: such a person gets no reminder for hours (people §6).",
      permission: "leave.request.read:any",
      query: { user_ids: list(uuid()), date_from: date(), date_to: date() },
      async handler(ctx) {
        const { user_ids: ids, date_from, date_to } = ctx.params;
        const [requests, sources] = await Promise.all([
          requestsTouching(date_from, date_to, ["approved"], null),
          loadSources({ users: ids }),
        ]);
        const approved = Map.groupBy(requests, ({ user_id }) => user_id);
        const holidays = await expectedHolidays(sources, date_from, date_to);
        return ids.filter((id) => fullyAbsent(date_from, date_to, sources.person(id), holidays, approved.get(id) ?? []));
      },
    }),

    ownDay: internal({
      summary: "Read a person's working minutes of a day, and how many of them were approved leave or holiday",
      description: "For other actors. A service account has no working day.",
      open: "one's own working day",
      query: { date: date() },
      async handler(ctx) {
        const { date: day } = ctx.params;
        const { user_id } = leaveCaller();
        if (user_id === null) return { scheduled_minutes: 0, leave_minutes: 0 };
        const [approved, sources] = await Promise.all([
          requestsTouching(day, day, ["approved"], user_id),
          loadSources({ users: [user_id] }),
        ]);
        return absenceOn(day, sources.person(user_id), await expectedHolidays(sources, day, day), approved);
      },
    }),
  },
});
