import { yearOf } from "../../../core/calendar/calendar.ts";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import { columns } from "../../../core/database/model.ts";
import { jsonArray, projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { list, optional, readInstant, uuid } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { askedPerson, requireMember } from "../callers.ts";
import { EntitlementModel, type EntitlementRow, UNSAVED_VERSION } from "../models.ts";
import { lockPeople } from "../person-lock.ts";
import { noteOf, year } from "../sent.ts";
import { type LeaveSources, loadSources, type Person } from "../sources.ts";
import { sameHours } from "../working-time/hours.ts";
import { derivesByItself, potAfterPut } from "./derivation.ts";
import { EntitlementGenerate, GenerateResult, LeaveEntitlementRead, LeaveEntitlementUpsert } from "./entitlement-schemas.ts";
import { addPots, generatePots, missingOf, removePots } from "./pots.ts";

const shown = projection({ model: EntitlementModel, schema: LeaveEntitlementRead });
const entitlements = rowsOf({ model: EntitlementModel, projection: shown });

const LIST = statement(
  `select ${jsonArray(
    shown.rows(`(select ${columns(EntitlementModel, "e")} from leave_entitlements e
      join leave_types y on y.organisation_id = e.organisation_id and y.id = e.leave_type_id
      where e.organisation_id = $1 and e.year = $2 and ($3::uuid is null or e.user_id = $3::uuid)
        and ($4::timestamptz is null or e.updated_at >= $4::timestamptz) order by e.user_id, y.position, y.key)`),
  )} as items`,
);

interface Pot {
  readonly sources: LeaveSources;
  readonly person: Person;
  readonly stored: EntitlementRow | null;
}

/** Locks the person and loads the pot of a member, type and year. @throws 404 for a non-member or unknown type, 412 */
async function potForWrite(wanted: { user_id: string; leave_type_id: string; year: number }): Promise<Pot> {
  lockPeople([wanted.user_id]);
  const sources = await loadSources({ users: [wanted.user_id], ledger: "pots" });
  const person = sources.person(wanted.user_id);
  requireMember(person);
  const typeId = wanted.leave_type_id.toLowerCase();
  if (!sources.types.some(({ id }) => id === typeId)) throw notFound();
  const stored = person.pots.find((pot) => pot.leave_type_id === typeId && pot.year === wanted.year) ?? null;
  return { sources, person, stored };
}

export default resource("leave.entitlements", {
  model: EntitlementModel,
  actions: {
    list: action({
      rest: "GET /leave/entitlements",
      summary: "List the stored pots of a year: your own, or everyone's if you can read them",
      permission: "leave.entitlement.read",
      query: { year: year(), user_id: optional(uuid()), ...sinceQuery },
      returns: list(LeaveEntitlementRead),
      async handler(ctx) {
        const { year: wanted, user_id, updated_since: since } = ctx.params;
        const everybody = user_id === undefined && mayCaller("leave.entitlement.read:any");
        const asked = everybody ? null : askedPerson(user_id, "leave.entitlement.read:any");
        if (!everybody && asked === null) return [];
        const values = [request().organisation.id, wanted, asked, since === undefined ? null : readInstant(since)];
        return new JsonText((await queryOne<{ items: string }>(LIST, values))?.items ?? "[]");
      },
    }),

    save: action({
      rest: "PUT /leave/entitlements",
      summary: "Set a pot by hand",
      description: "Hours other than the stored ones make it manual, so that no recomputation changes it again.",
      permission: "leave.entitlement.write",
      body: LeaveEntitlementUpsert,
      returns: LeaveEntitlementRead,
      errors: ["not_found"],
      async handler(ctx) {
        const { hours: sent, note } = ctx.params.body;
        const { person, stored } = await potForWrite(ctx.params.body);
        requireMatch(stored?.version ?? UNSAVED_VERSION);
        const { hours, source } = potAfterPut(stored, sent);
        const after = { hours, source, note: note === undefined ? (stored?.note ?? null) : noteOf(note) };
        if (stored === null) {
          const { leave_type_id, year: wanted } = ctx.params.body;
          const place = { user_id: person.user_id, leave_type_id, year: wanted };
          return entitlements.answerWith(queueInsert(EntitlementModel, { ...place, ...after, version: UNSAVED_VERSION + 1 }));
        }
        if (!sameHours(stored.hours, hours) || stored.note !== after.note) queueUpdate(EntitlementModel, stored.id, after);
        return entitlements.answerWith(stored.id);
      },
    }),

    remove: action({
      rest: "DELETE /leave/entitlements",
      summary: "Delete a pot",
      description:
        "A pot of this year or the next is recreated at once with the computed figure; one of another year is only deleted.",
      permission: "leave.entitlement.write",
      query: { year: year(), user_id: uuid(), leave_type_id: uuid() },
      errors: ["not_found"],
      async handler(ctx) {
        const { sources, person, stored } = await potForWrite(ctx.params);
        if (stored === null) throw notFound();
        requireMatch(stored.version);
        removePots([stored]);
        if (!derivesByItself(stored.year, sources.today)) return;
        const pots = person.pots.filter(({ id }) => id !== stored.id);
        addPots(missingOf(sources, { ...person, pots }, stored.year));
      },
    }),

    generate: action({
      rest: "POST /leave/entitlements/generate",
      summary: "Compute the missing pots of a year for everyone who accrues leave",
      permission: "leave.entitlement.write",
      body: EntitlementGenerate,
      returns: GenerateResult,
      status: 200,
      handler: async (ctx) => ({ created: await generatePots(ctx.params.body.year) }),
    }),
  },

  jobs: {
    "leave.derive-pots": {
      about: "Derives next year's missing pots",
      module: "leave",
      schedule: "0 4 1 12 *",
      everywhere: "once a year, each organisation needs the pots of the next",
      spread: 55,
      async handler(run) {
        await run.write(() => generatePots(yearOf(run.today()) + 1));
      },
    },
  },
});
