import { firstByPerson, personForOrder } from "../../../core/database/lists/first.ts";
import { listing } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { forbidden } from "../../../core/errors/errors.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { choice, flag, integer, optional, type TProperties, uuid } from "../../../core/schema/schema.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { askedPerson } from "../callers.ts";
import { YEARS } from "../limits.ts";
import { LeaveRequestModel } from "../models.ts";
import { NOBODY } from "../sent.ts";
import { LeaveRequestRead } from "./request-schemas.ts";
import { REQUEST_STATUSES } from "./status.ts";

/** The filters of the request list. */
export const requestFilters = {
  user_id: optional(uuid()),
  all_users: optional(flag(false)),
  year: optional(integer(YEARS.first, YEARS.last, { description: "Year of the first day" })),
  status: optional(choice(REQUEST_STATUSES)),
} satisfies TProperties;

/** The person whose requests are listed; null for everyone. @throws 403 for others' without read `:any` */
export function listedPerson(userId: string | undefined, all: boolean): string | null {
  if (all && !mayCaller("leave.request.read:any")) throw forbidden();
  if (all && userId === undefined) return null;
  return askedPerson(userId, "leave.request.read:any") ?? NOBODY;
}

export const requestProjection = projection({ model: LeaveRequestModel, schema: LeaveRequestRead });

/** The list of leave requests (people §6, "List"): newest start first; in other orders, ties sort by start date. */
export const requestListing = listing(
  {
    table: "leave_requests",
    order: "-start_date",
    ties: "start_date",
    sorts: {
      employee: {
        by: "ra.name",
        text: true,
        mayBeEmpty: true,
        join: personForOrder("ra", "t.user_id"),
        first: firstByPerson({ table: "leave_requests", column: "user_id", ties: "t.start_date, t.id" }),
      },
      start_date: { by: "t.start_date" },
      end_date: { by: "t.end_date" },
      hours: { by: "t.hours" },
      status: { by: "t.status" },
      created_at: { by: "t.created_at" },
    },
    filters: {
      user_id: { type: "uuid", when: (slot) => `t.user_id = ${slot}` },
      year: { type: "int", when: (slot) => `t.start_date between make_date(${slot}, 1, 1) and make_date(${slot}, 12, 31)` },
      status: { type: "text", when: (slot) => `t.status = ${slot}` },
    },
  },
  requestProjection,
);

/** Reading and locking requests; visibility depends on the person they belong to. */
export const requestRows = rowsOf({ model: LeaveRequestModel, projection: requestProjection, listing: requestListing });
