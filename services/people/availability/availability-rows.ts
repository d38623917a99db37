import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { columns, type OwnOf } from "../../../core/database/model.ts";
import { jsonArray, projection } from "../../../core/database/projection.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { forbidden, notFound } from "../../../core/errors/errors.ts";
import { emitAll } from "../../../core/jobs/outbox.ts";
import { scopeOf } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { reaches } from "../../../core/values/scope.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { leaveCaller } from "../callers.ts";
import { AvailabilityModel, type AvailabilityRow } from "../models.ts";
import { lockPersonOf } from "../person-lock.ts";

import { requireMembership } from "../sent.ts";
import { appliesWithin, deletedWith } from "./availability.ts";
import { AvailabilityRead } from "./availability-schemas.ts";

const shown = projection({
  model: AvailabilityModel,
  schema: AvailabilityRead,
  columns: { user_name: "coalesce(nullif(pa.full_name, ''), pa.email, '')" },
  joins: "left join accounts pa on pa.id = t.user_id",
});

/** Reading and locking availability rows. Its list has the candidates of a window; {@link appliesWithin} makes the final selection. */
export const availabilityRows = rowsOf({
  model: AvailabilityModel,
  projection: shown,
  whole: {
    order: "t.date, t.user_id, t.id",
    of: {
      from: {
        type: "date",
        when: (from) =>
          `case when t.repeat_weeks is null then t.date >= ${from} else t.repeat_until is null or t.repeat_until >= ${from} end`,
      },
      to: { type: "date", when: (to) => `t.date <= ${to}` },
    },
    by: { user_id: "uuid" },
  },
});

const PAIR = statement(
  `select ${jsonArray(
    `${shown.rows(`(select ${columns(AvailabilityModel)} from leave_availability where organisation_id = $1 and pair_id = $2)`)} order by t.kind desc`,
  )} as items`,
);
const HALVES = statement(`select ${columns(AvailabilityModel)} from leave_availability
  where organisation_id = $1 and pair_id = $2 for update`);
const REMOVE = statement("delete from leave_availability where organisation_id = $1 and id = any($2::uuid[])");

/** Rows with an occurrence from `from` through `to`, of one person or of everyone (null), optionally changed since an instant. */
export async function rowsWithin(
  userId: string | null,
  from: IsoDate,
  to: IsoDate,
  since?: string,
): Promise<Static<typeof AvailabilityRead>[]> {
  const listed = availabilityRows.allBound({ from, to, user_id: userId, updated_since: since });
  const row = await queryOne<{ items: string }>(...listed);
  const rows = JSON.parse(row?.items ?? "[]") as Static<typeof AvailabilityRead>[];
  return rows.filter((entry) => appliesWithin(entry, from, to));
}

/** Both rows of a move in their response shape, the unavailable day first. */
export async function pairOf(pairId: string): Promise<JsonText> {
  return new JsonText((await queryOne<{ items: string }>(PAIR, [request().organisation.id, pairId]))?.items ?? "[]");
}

/** @throws 403 for another person's availability without write `:any`, 404 for a non-member (people §1, §10) */
export async function requireWritable(userId: string): Promise<void> {
  if (!reaches(scopeOf("leave.availability.write"), leaveCaller().user_id, userId)) throw forbidden();
  await requireMembership(userId);
}

/** @throws 404 for another person's row the caller may not read, 403 for one the caller may not write */
function mayWrite({ user_id: owner }: AvailabilityRow): void {
  const { user_id: caller } = leaveCaller();
  if (!reaches(scopeOf("leave.availability.read"), caller, owner)) throw notFound();
  if (!reaches(scopeOf("leave.availability.write"), caller, owner)) throw forbidden();
}

/** Locks the person's leave and returns the row for writing. @throws 404, 403, 412 */
export async function lockedEntry(id: string): Promise<AvailabilityRow> {
  lockPersonOf("leave_availability", id);
  return availabilityRows.forWrite(id, mayWrite);
}

/** Records an event of rows (people §13). */
export function emitAvailability(
  event: "availability.saved" | "availability.gone",
  rows: readonly (Omit<OwnOf<typeof AvailabilityModel>, "note"> & { readonly id: string })[],
): void {
  const events = rows.map(({ id, user_id, kind, date, start_time, end_time, repeat_weeks, repeat_until, pair_id }) => ({
    entityId: id,
    payload: { availability_id: id, user_id, kind, date, start_time, end_time, repeat_weeks, repeat_until, pair_id },
  }));
  emitAll(event, "availability", events);
}

/** Locks and returns the other half of a move; null if the row is not part of a move. */
export async function otherHalf({ id, pair_id }: AvailabilityRow): Promise<AvailabilityRow | null> {
  if (pair_id === null) return null;
  const halves = await query<AvailabilityRow>(HALVES, [request().organisation.id, pair_id]);
  return halves.find((half) => half.id !== id) ?? null;
}

/** Deletes a locked row, and the other half of its move (people §10, "Move"). */
export async function removeEntry(row: AvailabilityRow): Promise<void> {
  const { organisation } = request();
  const others = row.pair_id === null ? [] : await query<AvailabilityRow>(HALVES, [organisation.id, row.pair_id]);
  const going = deletedWith(row, others.length === 0 ? [row] : others);
  emitAvailability("availability.gone", going);
  enqueue(REMOVE, [organisation.id, going.map(({ id }) => id)]);
}
