import { listing } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { forbidden } from "../../../core/declare/errors.ts";
import { choice, flag, integer, optional, type TProperties, uuid } from "../../../core/declare/schema.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { askedPerson } from "../callers.ts";
import { YEARS } from "../limits.ts";
import { LeaveRequestModel } from "../models.ts";
import { NOBODY } from "../sent.ts";
import { LeaveRequestRead } from "./request-schemas.ts";
import { REQUEST_STATUSES } from "./status.ts";

/** What a list of requests may be narrowed by. */
export const requestFilters = {
  user_id: optional(uuid()),
  all_users: optional(flag(false)),
  year: optional(integer(YEARS.first, YEARS.last, { description: "Year of the first day" })),
  status: optional(choice(REQUEST_STATUSES)),
} satisfies TProperties;

/** Whose requests a list is about: null is everybody's. @throws 403 for others' without read `:any` */
export function listedPerson(userId: string | undefined, all: boolean): string | null {
  if (all && !mayCaller("leave.request.read:any")) throw forbidden();
  if (all && userId === undefined) return null;
  return askedPerson(userId, "leave.request.read:any") ?? NOBODY;
}

const NAME = "coalesce(nullif(ra.full_name, ''), ra.email)";

/**
 * The first requests by employee: person after person, each with theirs. People of the same name share a place, therefore the last of
 * them with all of theirs.
 */
function firstByEmployee(descending: boolean): string {
  const order = descending ? "called desc nulls last" : "called";
  const rows = "($2::bigint + $3::bigint)";
  const another = (after: string) =>
    `(select o.user_id from leave_requests o where o.organisation_id = $1${after} order by o.user_id limit 1)`;
  return `with recursive held (id) as (
      ${another("")} union all select ${another(" and o.user_id > held.id")} from held where held.id is not null),
    people as (select held.id, ${NAME} collate kantoor_text as called from held left join accounts ra on ra.id = held.id
      where held.id is not null),
    asked as (
      select u.id, p.called from (select id, called from people order by ${order}) p cross join lateral unnest(array(
          select t.id from leave_requests t where t.organisation_id = $1 and t.user_id = p.id order by t.start_date, t.id limit ${rows})) u(id)
       order by ${order} fetch first ${rows} rows with ties)
    select array(select t.id from asked k join leave_requests t on t.organisation_id = $1 and t.id = k.id
                  order by k.${order}, t.start_date, t.id limit ${rows})`;
}

export const requestProjection = projection({ model: LeaveRequestModel, schema: LeaveRequestRead });

/** The list of leave requests (people §6, "List"): newest start first, and ties of another order by start date. */
export const requestListing = listing(
  {
    table: "leave_requests",
    order: "-start_date",
    ties: "start_date",
    sorts: {
      employee: {
        by: NAME,
        text: true,
        mayBeEmpty: true,
        join: "left join accounts ra on ra.id = t.user_id",
        first: firstByEmployee,
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

/** Reading and locking requests; who may see which is decided by the person they belong to. */
export const requestRows = rowsOf({ model: LeaveRequestModel, projection: requestProjection, listing: requestListing });
