import { sinceQuery } from "../../../core/database/lists/list.ts";
import type { UpdateOf } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate, withoutBlanks } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { flag, list, optional, type Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { formatAmount } from "../../../core/values/money.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { TaxRate } from "./models.ts";
import { lockSettings } from "./settings-rows.ts";
import { TaxRateCreate, TaxRateRead, TaxRateUpdate } from "./tax-rate-schemas.ts";
import { seedTaxRates } from "./tax-rates.ts";

const shown = projection({ model: TaxRate, schema: TaxRateRead });
const rates = rowsOf({
  model: TaxRate,
  projection: shown,
  whole: {
    order: "t.position, t.rate desc, t.id",
    by: { active: "boolean" },
    also: "exists (select 1 from tax_rates where organisation_id = $1) as seeded",
  },
});

const CLEAR_DEFAULT =
  statement(`update tax_rates set is_default = false, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and is_default`);

/** The values to store: the percentage with 2 decimals, the country in capitals, blanks as null. */
function valuesOf({ label_i18n, rate, country, ...same }: Static<typeof TaxRateUpdate>): UpdateOf<typeof TaxRate> {
  return withoutBlanks(TaxRate, {
    ...same,
    ...(label_i18n !== undefined && { label_i18n: label_i18n ?? {} }),
    ...(rate !== undefined && { rate: formatAmount(rate) }),
    ...(country !== undefined && { country: country?.toUpperCase() ?? null }),
  });
}

/** At most one rate is the default: clears the others before this one becomes it. */
async function clearDefault(): Promise<void> {
  await lockSettings();
  enqueue(CLEAR_DEFAULT, [request().organisation.id]);
}

type Listed = { seeded: boolean; items: string };

export default resource("invoicing.tax-rates", {
  model: TaxRate,
  actions: {
    list: action({
      rest: "GET /invoicing/tax-rates",
      summary: "List tax rates, by position, the highest first",
      description:
        "The first read by a caller who can manage the settings fills an empty list with the rates of the tax country.",
      permission: "invoicing.invoice.read:any",
      query: { include_inactive: optional(flag(false)), ...sinceQuery },
      returns: list(TaxRateRead),
      writes: true,
      async handler(ctx) {
        const { include_inactive: all, updated_since } = ctx.params;
        const listed = rates.allBound({ active: all ? undefined : true, updated_since });
        let found = await queryOne<Listed>(...listed);
        if (!found?.seeded && request().mode === "write" && mayCaller("invoicing.settings.manage")) {
          await seedTaxRates();
          found = await queryOne<Listed>(...listed);
        }
        return new JsonText(found?.items ?? "[]");
      },
    }),

    create: action({
      rest: "POST /invoicing/tax-rates",
      summary: "Add a tax rate",
      permission: "invoicing.settings.manage",
      body: TaxRateCreate,
      example: {
        label_i18n: { nl: "Btw hoog", en: "VAT standard" },
        rate: "21",
        category: "standard",
        country: "NL",
        is_default: true,
      },
      returns: TaxRateRead,
      async handler(ctx) {
        const values = valuesOf(ctx.params.body);
        if (values.is_default) await clearDefault();
        return rates.answerWith(queueInsert(TaxRate, values));
      },
    }),

    update: action({
      rest: "PATCH /invoicing/tax-rates/:tax_rate_id",
      summary: "Change a tax rate; existing documents keep the old one",
      permission: "invoicing.settings.manage",
      body: TaxRateUpdate,
      example: { ledger_code: "1520" },
      returns: TaxRateRead,
      async handler(ctx) {
        const id = ctx.params.tax_rate_id;
        const values = valuesOf(ctx.params.body);
        if (values.is_default) await lockSettings();
        const before = await rates.forWrite(id);
        const changed = differences(before, values);
        if (changed?.is_default) await clearDefault();
        if (changed) queueUpdate(TaxRate, id, changed);
        return rates.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /invoicing/tax-rates/:tax_rate_id",
      summary: "Delete a tax rate",
      description: "Documents keep the rate, category and name they were written with.",
      permission: "invoicing.settings.manage",
      async handler(ctx) {
        const id = ctx.params.tax_rate_id;
        await rates.forWrite(id);
        queueRemove(TaxRate, id);
      },
    }),
  },
});
