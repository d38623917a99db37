import { listing, listQuery } from "../../../../core/database/lists/list.ts";
import { ofSelectedCompany } from "../../../../core/database/lists/selection.ts";
import { projection } from "../../../../core/database/projection.ts";
import { queryOne } from "../../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../../core/database/write.ts";
import { action } from "../../../../core/declare/action.ts";
import { notFound } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { optional, page, uuid } from "../../../../core/schema/schema.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { resource, rowsOf } from "../../../../mixins/resource.ts";
import { DunningPause, type DunningPauseRow } from "../models.ts";
import { DunningPauseCreate, DunningPauseRead, DunningPauseUpdate } from "./pause-schemas.ts";

const shown = projection({ model: DunningPause, schema: DunningPauseRead });
const visible = (slot: string) => ofSelectedCompany("t.company_id", slot);
const list = listing(
  {
    table: "dunning_pauses",
    order: "-created_at",
    sorts: { created_at: { by: "t.created_at" } },
    filters: {
      company_id: { type: "uuid", when: (slot) => `t.company_id = ${slot}` },
      invoice_id: { type: "uuid", when: (slot) => `t.invoice_id = ${slot}` },
    },
    visible,
  },
  shown,
);
const pauses = rowsOf({ model: DunningPause, projection: shown, listing: list, visible });

const OF_CLIENT = statement(
  "select 1 from invoices where organisation_id = $1 and company_id = $2 and id = $3 and status <> 'draft'",
);

/** Records a change of a pause in the trail of its client. */
const noted = (
  act: string,
  { company_id, invoice_id, reason, until }: Pick<DunningPauseRow, "company_id" | "invoice_id" | "reason" | "until">,
) => trail("company", company_id, act, { invoice_id, reason, until });

/** Clients and invoices that are not dunned. */
export default resource("dunning.pauses", {
  model: DunningPause,
  actions: {
    list: action({
      rest: "GET /invoicing/dunning/pauses",
      summary: "List the pauses of dunning, the newest first",
      permission: "dunning.claim.read",
      query: {
        ...listQuery(list.spec.sorts),
        company_id: optional(uuid()),
        invoice_id: optional({ ...uuid(), description: "Only pauses of this one invoice" }),
      },
      returns: page(DunningPauseRead),
      handler: ({ params: { company_id, invoice_id, ...asked } }) => pauses.page(asked, { company_id, invoice_id }),
    }),

    create: action({
      rest: "POST /invoicing/dunning/pauses",
      summary: "Pause the dunning of a client, or of one of its invoices",
      description:
        "Until the day has passed or the pause is deleted, the daily job sends neither notices nor reminders of these invoices.",
      permission: "dunning.claim.write",
      body: DunningPauseCreate,
      example: {
        company_id: "975df61c-0c1e-4a5b-8d2f-975df61c0001",
        reason: "Betalingsregeling afgesproken",
        until: "2026-04-30",
      },
      returns: DunningPauseRead,
      errors: ["not_found"],
      prepare: (ctx) => ctx.call("companies.get", { company_id: ctx.params.body.company_id }),
      async handler(ctx) {
        const { company_id, invoice_id = null, reason, until = null } = ctx.params.body;
        if (invoice_id !== null && !(await queryOne(OF_CLIENT, [request().organisation.id, company_id, invoice_id])))
          throw notFound();
        const values = { company_id, invoice_id, reason, until };
        const id = queueInsert(DunningPause, values);
        noted("dunning_paused", values);
        return pauses.answerWith(id);
      },
    }),

    get: action({
      rest: "GET /invoicing/dunning/pauses/:pause_id",
      summary: "Read one pause of dunning",
      permission: "dunning.claim.read",
      returns: DunningPauseRead,
      handler: (ctx) => pauses.one(ctx.params.pause_id),
    }),

    update: action({
      rest: "PATCH /invoicing/dunning/pauses/:pause_id",
      summary: "Change the reason or the last day of a pause",
      permission: "dunning.claim.write",
      body: DunningPauseUpdate,
      example: { until: "2026-05-31" },
      returns: DunningPauseRead,
      async handler(ctx) {
        const before = await pauses.forWrite(ctx.params.pause_id);
        const changed = differences(before, ctx.params.body);
        if (changed) {
          queueUpdate(DunningPause, before.id, changed);
          noted("dunning_pause_changed", { ...before, ...changed });
        }
        return pauses.answerWith(before.id);
      },
    }),

    remove: action({
      rest: "DELETE /invoicing/dunning/pauses/:pause_id",
      summary: "End a pause of dunning",
      permission: "dunning.claim.write",
      async handler(ctx) {
        const pause = await pauses.forWrite(ctx.params.pause_id);
        queueRemove(DunningPause, pause.id);
        noted("dunning_resumed", pause);
      },
    }),
  },
});
