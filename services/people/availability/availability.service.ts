import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import { newId } from "../../../core/database/model.ts";
import { differences, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { forbidden } from "../../../core/errors/errors.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { date, flag, list, optional, type Static, type TProperties, uuid } from "../../../core/schema/schema.ts";
import { resource } from "../../../mixins/resource.ts";
import { askedPerson } from "../callers.ts";
import { windowErrors } from "../limits.ts";
import { AvailabilityModel, type AvailabilityRow } from "../models.ts";
import { lockPeople } from "../person-lock.ts";
import { withoutSeconds } from "../requests/edit.ts";
import { noteOf, personOfBody, refuseFields } from "../sent.ts";
import { loadSources } from "../sources.ts";
import { type AvailabilityRule, availabilityErrors, halfErrors, moveErrors, moveRules } from "./availability.ts";
import { availabilityDays } from "./availability-day.ts";
import {
  availabilityRows,
  emitAvailability,
  lockedEntry,
  otherHalf,
  pairOf,
  removeEntry,
  requireWritable,
  rowsWithin,
} from "./availability-rows.ts";
import {
  AvailabilityCreate,
  AvailabilityDay,
  AvailabilityMove,
  AvailabilityRead,
  AvailabilityUpdate,
} from "./availability-schemas.ts";

const READ_ANY = "leave.availability.read:any";
const window = {
  date_from: date(),
  date_to: date(),
  user_id: optional(uuid()),
  all_users: optional(flag(false)),
} satisfies TProperties;

type Timed = { start_time?: string | null; end_time?: string | null };
type Repeated = { repeat_weeks?: number | null; repeat_until?: IsoDate | null };

const bounds = ({ start_time = null, end_time = null, repeat_weeks = null, repeat_until = null }: Timed & Repeated) => ({
  start_time: withoutSeconds(start_time),
  end_time: withoutSeconds(end_time),
  repeat_weeks,
  repeat_until,
});

/** Stores rows of one person, records their events, and returns their ids. */
function store(user_id: string, rules: readonly AvailabilityRule[], text: string | null, pair_id: string | null): string[] {
  const rows = rules.map((rule) => ({ id: newId(), user_id, ...rule, note: text, pair_id }));
  for (const row of rows) queueInsert(AvailabilityModel, row);
  emitAvailability("availability.saved", rows);
  return rows.map(({ id }) => id);
}

/** Updates a locked row after validating the merged result. */
async function change(row: AvailabilityRow, body: Static<typeof AvailabilityUpdate>): Promise<void> {
  const sent = { ...row, ...body };
  const after = { kind: sent.kind, date: sent.date, ...bounds(sent), note: noteOf(sent.note) };
  refuseFields(availabilityErrors(after));
  const other = await otherHalf(row);
  if (other !== null) refuseFields(halfErrors(after, other));
  const changed = differences(row, after);
  if (!changed) return;
  queueUpdate(AvailabilityModel, row.id, changed);
  emitAvailability("availability.saved", [{ ...row, ...after }]);
}

/** The days of one person, or of everyone with a row in the window, with all exceptions applied (people §10). */
async function daysWithin(userId: string | null, from: IsoDate, to: IsoDate): Promise<Static<typeof AvailabilityDay>[]> {
  const entries = Map.groupBy(await rowsWithin(userId, from, to), (entry) => entry.user_id);
  const sources = await loadSources({ users: userId === null ? [...entries.keys()] : [userId] });
  return sources.people
    .filter(({ member }) => member)
    .sort((one, other) => one.name.localeCompare(other.name) || (one.user_id < other.user_id ? -1 : 1))
    .flatMap((person) =>
      availabilityDays(from, to, person, entries.get(person.user_id) ?? [], sources.zone).map(
        ({ windows, entry_ids, ...day }) => ({
          user_id: person.user_id,
          user_name: person.name,
          ...day,
          windows: [...windows],
          entry_ids: [...entry_ids],
        }),
      ),
    );
}

export default resource("leave.availability", {
  model: AvailabilityModel,
  actions: {
    list: action({
      rest: "GET /leave/availability",
      summary: "Exceptions to working weeks that apply in a window of at most 400 days",
      description: "Your own; everyone's with `leave.availability.read:any`.",
      permission: "leave.availability.read",
      query: { ...window, ...sinceQuery },
      returns: list(AvailabilityRead),
      async handler(ctx) {
        const { date_from, date_to, user_id, all_users, updated_since: since } = ctx.params;
        if (all_users && !mayCaller(READ_ANY)) throw forbidden();
        const person = all_users && user_id === undefined ? null : askedPerson(user_id, READ_ANY);
        refuseFields(windowErrors(date_from, date_to));
        if (person === null && !all_users) return [];
        return rowsWithin(person, date_from, date_to, since);
      },
    }),

    days: action({
      rest: "GET /leave/availability/days",
      summary: "Working days with every exception applied, in a window of at most 400 days",
      description: "With `all_users` everyone with an exception in the window.",
      permission: "leave.availability.read",
      query: window,
      returns: list(AvailabilityDay),
      async handler(ctx) {
        const { date_from, date_to, user_id, all_users } = ctx.params;
        const person = all_users && user_id === undefined ? null : askedPerson(user_id, READ_ANY);
        refuseFields(windowErrors(date_from, date_to));
        if (person === null && !all_users) return [];
        return daysWithin(person, date_from, date_to);
      },
    }),

    create: action({
      rest: "POST /leave/availability",
      summary: "Add to a working week, or take from it",
      permission: "leave.availability.write",
      body: AvailabilityCreate,
      returns: AvailabilityRead,
      errors: ["not_found"],
      async handler(ctx) {
        const { body } = ctx.params;
        const userId = personOfBody(body.user_id);
        lockPeople([userId]);
        await requireWritable(userId);
        const rule = { kind: body.kind, date: body.date, ...bounds(body) };
        refuseFields(availabilityErrors(rule));
        const [id] = store(userId, [rule], noteOf(body.note), null) as [string];
        return availabilityRows.answerWith(id);
      },
    }),

    move: action({
      rest: "POST /leave/availability/move",
      summary: "Swap one day for another: two rows in one request",
      permission: "leave.availability.write",
      body: AvailabilityMove,
      example: { from_date: "2026-03-06", to_date: "2026-03-04", note: "Swap Friday for Wednesday" },
      returns: list(AvailabilityRead),
      errors: ["not_found"],
      async handler(ctx) {
        const { body } = ctx.params;
        const userId = personOfBody(body.user_id);
        lockPeople([userId]);
        await requireWritable(userId);
        const move = { from_date: body.from_date, to_date: body.to_date, ...bounds(body) };
        refuseFields(moveErrors(move));
        const pair = newId();
        store(userId, moveRules(move), noteOf(body.note), pair);
        return pairOf(pair);
      },
    }),

    update: action({
      rest: "PATCH /leave/availability/:entry_id",
      summary: "Change an exception; the changed exception is validated as a whole",
      permission: "leave.availability.write",
      body: AvailabilityUpdate,
      returns: AvailabilityRead,
      async handler(ctx) {
        const id = ctx.params.entry_id;
        await change(await lockedEntry(id), ctx.params.body);
        return availabilityRows.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /leave/availability/:entry_id",
      summary: "Delete an exception, and the other half of a move with it",
      permission: "leave.availability.write",
      handler: async (ctx) => removeEntry(await lockedEntry(ctx.params.entry_id)),
    }),
  },
});
