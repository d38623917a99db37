import { projection } from "../../../core/database/projection.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { differences, queueUpdate, withoutNulls } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { conflict, invalid } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { statement } from "../../../core/sql/statement.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { CompanySettings } from "../models.ts";
import { allNumbers, lockNumbering, organisationYear, storeSequence } from "./company-numbers.ts";
import { ClientNumberBackfillResult, CompanyNumberingRead, CompanyNumberingWrite } from "./company-schemas.ts";
import { allocate, isValidFormat } from "./numbering.ts";

const settings = rowsOf({
  model: CompanySettings,
  projection: projection({ model: CompanySettings, schema: CompanyNumberingRead }),
});

const UNNUMBERED = statement(
  "select id from companies where organisation_id = $1 and client_number is null order by created_at, id for update",
);
const NUMBER =
  statement(`update companies c set client_number = n.number, version = c.version + 1, updated_at = statement_timestamp()
  from unnest($2::uuid[], $3::text[]) n(id, number) where c.organisation_id = $1 and c.id = n.id`);

export default resource("companies.settings", {
  model: CompanySettings,
  actions: {
    get: action({
      rest: "GET /companies/settings",
      summary: "Read how clients are numbered",
      permission: "companies.settings.manage",
      returns: CompanyNumberingRead,
      writes: true,
      async handler() {
        return settings.answerWith((await lockNumbering()).id);
      },
    }),

    update: action({
      rest: "PUT /companies/settings",
      summary: "Change how clients are numbered; omitted fields stay unchanged",
      permission: "companies.settings.manage",
      body: CompanyNumberingWrite,
      returns: CompanyNumberingRead,
      async handler(ctx) {
        const stored = await lockNumbering();
        requireMatch(stored.version);
        const sent = withoutNulls(ctx.params.body);
        const after = { ...stored, ...sent };
        const touchesNumber = "client_number_format" in sent || "client_number_next_seq" in sent;
        if (touchesNumber && !isValidFormat(after.client_number_format, after.client_number_next_seq, organisationYear()))
          throw invalid({ client_number_format: "errors.companies.invalid_number_format" });
        const changed = differences(stored, sent);
        if (changed) queueUpdate(CompanySettings, stored.id, changed);
        return settings.answerWith(stored.id);
      },
    }),

    backfill: action({
      rest: "POST /companies/settings/backfill-client-numbers",
      verb: "backfillClientNumbers",
      summary: "Number every company without a number, oldest first",
      permission: "companies.settings.manage",
      returns: ClientNumberBackfillResult,
      status: 200,
      errors: ["conflict"],
      async handler(ctx) {
        const organisationId = ctx.meta.organisation.id;
        const numbering = await lockNumbering();
        const waiting = await query<{ id: string }>(UNNUMBERED, [organisationId]);
        if (waiting.length === 0) return { numbered: 0 };
        const taken = await allNumbers();
        const made = allocate(numbering, organisationYear(), waiting.length, (number) => taken.has(number));
        if (!made) throw conflict("errors.companies.client_number_exhausted");
        const ids = waiting.map(({ id }) => id);
        enqueue(NUMBER, [organisationId, ids, made.numbers]);
        // The trail has no line for these, but webhooks report them.
        reportChange("company", ids, "updated", ["client_number"]);
        storeSequence(numbering.id, made.after);
        return { numbered: waiting.length };
      },
    }),
  },
});
