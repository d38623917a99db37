import { listing, listQuery } from "../../../core/database/lists/list.ts";
import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import { newId } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { choice, optional, page, uuid } from "../../../core/schema/schema.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { SepaMandate } from "../models.ts";
import { MANDATE_STATES, SepaMandateCreate, SepaMandateRead, SepaMandateUpdate } from "./mandate-schemas.ts";
import { mandateValues, referenceOfId } from "./mandate-values.ts";

const STATE = "case when t.revoked_on <= (select organisation_today()) then 'revoked' else 'live' end";
const shown = projection({ model: SepaMandate, schema: SepaMandateRead, columns: { state: STATE } });
const visible = (slot: string) => ofSelectedCompany("t.company_id", slot);
const list = listing(
  {
    table: "sepa_mandates",
    order: "-created_at",
    sorts: { created_at: { by: "t.created_at" } },
    filters: {
      company_id: { type: "uuid", when: (slot) => `t.company_id = ${slot}` },
      state: { type: "text", when: (slot) => `${STATE} = ${slot}` },
    },
    visible,
  },
  shown,
);
const mandates = rowsOf({ model: SepaMandate, projection: shown, listing: list, visible });

/** Mandates of clients for SEPA direct debit. */
export default resource("banking.mandates", {
  model: SepaMandate,
  actions: {
    list: action({
      rest: "GET /banking/mandates",
      summary: "List mandates for SEPA direct debit, the newest first",
      permission: "banking.mandate.read",
      query: { ...listQuery(list.spec.sorts), company_id: optional(uuid()), state: optional(choice(MANDATE_STATES)) },
      returns: page(SepaMandateRead),
      handler: ({ params: { company_id, state, ...asked } }) => mandates.page(asked, { company_id, state }),
    }),

    get: action({
      rest: "GET /banking/mandates/:mandate_id",
      summary: "Read one mandate",
      permission: "banking.mandate.read",
      returns: SepaMandateRead,
      handler: (ctx) => mandates.one(ctx.params.mandate_id),
    }),

    create: action({
      rest: "POST /banking/mandates",
      summary: "Record a mandate that a client signed",
      description: "The signed paper is kept with it as a file, by `POST /files` for the record `sepa_mandate`.",
      permission: "banking.mandate.write",
      body: SepaMandateCreate,
      example: {
        company_id: "975df61c-0c1e-4a5b-8d2f-975df61c0001",
        reference: "KORENAAR-2026-01",
        iban: "NL91 ABNA 0417 1643 00",
        account_holder: "Bakkerij De Korenaar B.V.",
        signed_on: "2026-02-16",
      },
      returns: SepaMandateRead,
      errors: ["not_found", "conflict"],
      prepare: (ctx) => ctx.call("companies.get", { company_id: ctx.params.body.company_id }),
      async handler(ctx) {
        const id = newId();
        const { reference = referenceOfId(id), scheme = "core", ...sent } = ctx.params.body;
        const values = mandateValues({ ...sent, reference }, organisationToday());
        queueInsert(SepaMandate, { ...values, id, scheme });
        trail("sepa_mandate", id, "created");
        return mandates.answerWith(id);
      },
    }),

    update: action({
      rest: "PATCH /banking/mandates/:mandate_id",
      summary: "Change the account of a mandate, or revoke it",
      permission: "banking.mandate.write",
      body: SepaMandateUpdate,
      example: { revoked_on: "2026-06-01" },
      returns: SepaMandateRead,
      async handler(ctx) {
        const before = await mandates.forWrite(ctx.params.mandate_id);
        const changed = differences(before, mandateValues(ctx.params.body, organisationToday()));
        const after = { ...before, ...changed };
        if (after.revoked_on !== null && after.revoked_on < after.signed_on) throw invalid({ revoked_on: "errors.validation" });
        if (changed) {
          queueUpdate(SepaMandate, before.id, changed);
          trail("sepa_mandate", before.id, "updated", { changes: changesOf(SepaMandate.tracked, before, changed) });
        }
        return mandates.answerWith(before.id);
      },
    }),

    remove: action({
      rest: "DELETE /banking/mandates/:mandate_id",
      summary: "Delete a mandate that was recorded by mistake",
      permission: "banking.mandate.write",
      async handler(ctx) {
        const { id } = await mandates.forWrite(ctx.params.mandate_id);
        queueRemove(SepaMandate, id);
        trail("sepa_mandate", id, "deleted");
      },
    }),
  },
});
