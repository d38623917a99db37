import { listQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import { forbidden, notFound } from "../../../core/errors/errors.ts";
import { page } from "../../../core/schema/schema.ts";
import { reaches } from "../../../core/values/scope.ts";
import { resource } from "../../../mixins/resource.ts";
import { leaveCaller } from "../callers.ts";
import { LeaveRequestModel, type LeaveRequestRow } from "../models.ts";
import { lockPersonOf } from "../person-lock.ts";

import { listedPerson, requestFilters, requestListing, requestRows } from "./request.list.ts";
import { previewRequest } from "./request-preview.ts";
import {
  LeavePreviewResult,
  LeaveRequestCreate,
  LeaveRequestDecision,
  LeaveRequestPreview,
  LeaveRequestRead,
  LeaveRequestUpdate,
} from "./request-schemas.ts";
import { cancelRequest, changeRequest, createRequest, decideRequest } from "./request-writes.ts";

const { q: _unsearchable, ...paging } = listQuery(requestListing.spec.sorts);

/** @throws 404 for another person's request the caller may not read, 403 for one the caller may not write (people §6) */
function mayChange({ user_id: owner }: LeaveRequestRow): void {
  const { user_id: caller, reads, writes } = leaveCaller();
  if (!reaches(reads, caller, owner)) throw notFound();
  if (!reaches(writes, caller, owner)) throw forbidden();
}

/** Locks the person's leave and returns the request for writing. @throws 404, 412 and the errors of `permit` */
async function locked(id: string, permit?: (row: LeaveRequestRow) => void): Promise<LeaveRequestRow> {
  lockPersonOf("leave_requests", id);
  return requestRows.forWrite(id, permit);
}

export default resource("leave.requests", {
  model: LeaveRequestModel,
  actions: {
    list: action({
      rest: "GET /leave/requests",
      summary: "List leave requests",
      description: "Your own; everyone's with `leave.request.read:any`.",
      permission: "leave.request.read",
      query: { ...paging, ...requestFilters },
      returns: page(LeaveRequestRead),
      async handler(ctx) {
        const { user_id, all_users = false, year, status } = ctx.params;
        const person = listedPerson(user_id, all_users) ?? undefined;
        return requestRows.page(ctx.params, { user_id: person, year, status });
      },
    }),

    create: action({
      rest: "POST /leave/requests",
      summary: "Request leave, for yourself or for another person",
      description: "Leave of a type without approval is approved at once. An insufficient balance is no reason to refuse it.",
      permission: "leave.request.write",
      body: LeaveRequestCreate,
      returns: LeaveRequestRead,
      errors: ["not_found", "past_locked", "self_approval", "no_working_hours", "conflict"],
      tool: {
        name: "request_leave",
        description: "Requests leave for the caller.",
        inArea: true,
        takes: ["leave_type_id", "start_date", "end_date", "start_time", "end_time", "note"],
      },
      handler: async (ctx) => requestRows.answerWith(await createRequest(ctx.params.body)),
    }),

    preview: action({
      rest: "POST /leave/requests/preview",
      summary: "Preview the hours and remaining balance of a span of leave; the hours are those that would be stored",
      permission: "leave.request.read",
      licenceExempt: "a preview counts as a read (people §1)",
      status: 200,
      body: LeaveRequestPreview,
      returns: LeavePreviewResult,
      errors: ["not_found"],
      handler: (ctx) => previewRequest(ctx.params.body),
    }),

    get: action({
      rest: "GET /leave/requests/:request_id",
      summary: "Read one leave request",
      permission: "leave.request.read",
      returns: LeaveRequestRead,
      async handler(ctx) {
        const found = await requestRows.one(ctx.params.request_id);
        const { user_id } = found.parse() as { user_id: string };
        const { reads, user_id: caller } = leaveCaller();
        if (!reaches(reads, caller, user_id)) throw notFound();
        return found;
      },
    }),

    update: action({
      rest: "PATCH /leave/requests/:request_id",
      summary: "Change leave that is still live; every change recomputes its hours",
      description: "Approved leave needs approval again after a relevant change by a caller who cannot approve it.",
      permission: "leave.request.write",
      body: LeaveRequestUpdate,
      returns: LeaveRequestRead,
      errors: ["past_locked", "self_approval", "no_working_hours", "conflict"],
      async handler(ctx) {
        const id = ctx.params.request_id;
        await changeRequest(await locked(id, mayChange), ctx.params.body);
        return requestRows.answerWith(id);
      },
    }),

    cancel: action({
      rest: "POST /leave/requests/:request_id/cancel",
      conditional: true,
      summary: "Cancel leave",
      permission: "leave.request.write",
      status: 200,
      returns: LeaveRequestRead,
      errors: ["past_locked", "approved_locked", "conflict"],
      async handler(ctx) {
        const id = ctx.params.request_id;
        await cancelRequest(await locked(id));
        return requestRows.answerWith(id);
      },
    }),

    decide: action({
      rest: "POST /leave/requests/:request_id/decide",
      conditional: true,
      summary: "Approve or reject leave that waits",
      permission: "leave.request.approve",
      status: 200,
      body: LeaveRequestDecision,
      returns: LeaveRequestRead,
      errors: ["self_approval", "conflict"],
      tool: {
        name: "decide_leave",
        description: "Approves or rejects a request for leave that waits.",
        inArea: true,
        takes: ["request_id", "approved", "note"],
      },
      async handler(ctx) {
        const id = ctx.params.request_id;
        await decideRequest(await locked(id), ctx.params.body);
        return requestRows.answerWith(id);
      },
    }),
  },
});
