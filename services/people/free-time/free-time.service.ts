import { columns } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { request } from "../../../core/request/context.ts";
import { optional, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { askedPerson } from "../callers.ts";
import { ownPersonId } from "../contracts/profile-rows.ts";
import { LeaveRequestModel, type LeaveRequestRow } from "../models.ts";
import { lockPersonOf } from "../person-lock.ts";
import { balanceSources, namedPerson, settledSources } from "../pots/pots.ts";
import { loadCases } from "../requests/leave-case.ts";
import { cancelRequests } from "../requests/request-cancel.ts";
import { mayWithdraw } from "../requests/transitions.ts";
import { year } from "../sent.ts";
import { loadSources } from "../sources.ts";
import { profileOn } from "../working-time/schedule.ts";
import { freeTimeOverview } from "./free-time.ts";
import { FreeTimeOverview, FreeTimeWithdraw, FreeTimeWithdrawResult } from "./free-time-schemas.ts";

const NAMED = statement(
  `select ${columns(LeaveRequestModel)} from leave_requests where organisation_id = $1 and id = any($2::uuid[])`,
);

export default service("leave.free-time", {
  actions: {
    overview: action({
      rest: "GET /leave/free-time",
      summary:
        "Read a person's rostered free time of a year: granted, placed, still to place, and no longer covered by a smaller pot",
      permission: "leave.request.read",
      query: { year: year(), user_id: optional(uuid()) },
      returns: FreeTimeOverview,
      writes: true,
      exceptions: { tenancy: "returns the requested person's name; figures of a non-member are zero (people §1, Errors)" },
      async handler(ctx) {
        const id = askedPerson(ctx.params.user_id, "leave.request.read:any") ?? ownPersonId();
        const sources = await settledSources([id], [ctx.params.year]);
        const person = namedPerson(sources, id);
        const { hours_per_day } = profileOn(person, sources.today);
        const figures = { ...balanceSources(sources, person), bookings: person.bookings };
        return { user_id: id, hours_per_day, ...freeTimeOverview(figures, ctx.params.year) };
      },
    }),

    withdraw: action({
      rest: "POST /leave/free-time/withdraw",
      summary: "Cancel free days; lists those that cannot be cancelled and cancels the rest",
      permission: "leave.request.write",
      body: FreeTimeWithdraw,
      returns: FreeTimeWithdrawResult,
      status: 200,
      exceptions: { tenancy: "names back every id it left alone, an unknown one too (people §9, Withdraw)" },
      async handler(ctx) {
        const ids = [...new Set(ctx.params.body.request_ids.map((id) => id.toLowerCase()))];
        lockPersonOf("leave_requests", ...ids);
        const rows = await query<LeaveRequestRow>(NAMED, [request().organisation.id, ids]);
        const users = [...new Set(rows.map(({ user_id }) => user_id))];
        const sources = await loadSources({ users });
        const gone = new Set((await cancelRequests(rows, sources, await loadCases(sources), mayWithdraw)).cancelled);
        return { cancelled: gone.size, skipped: ids.filter((id) => !gone.has(id)) };
      },
    }),
  },
});
