import { runtime } from "../../core/config/runtime.ts";
import { sinceQuery } from "../../core/database/lists/list.ts";
import { action } from "../../core/declare/action.ts";
import { isApiError, refusal } from "../../core/errors/errors.ts";
import { prepared, request } from "../../core/request/context.ts";
import { list, Type, text } from "../../core/schema/schema.ts";
import { resource } from "../../mixins/resource.ts";
import type { SalesEntry } from "../../mixins/sales-entry.ts";
import { ExternalRefRead, keepRef, refsOfInvoice, rememberedEntry } from "./external-refs.ts";
import { ExternalRef } from "./models.ts";
import { LedgerUnknown } from "./provider.ts";
import { accountingProviders } from "./providers.ts";
import { pushEntry, type RememberedEntry } from "./push.ts";

const UNKNOWN = "errors.invoicing.provider_unknown";

/** @throws 400 `errors.invoicing.provider_unknown` */
function providerOf(key: string) {
  const found = accountingProviders(runtime().config).find((provider) => provider.key === key);
  if (!found) throw refusal("validation", UNKNOWN, { fields: { provider: UNKNOWN } });
  return found;
}

/** Maps a provider failure to an API error: a missing ledger code becomes a 409 on `lines`, an unknown failure a 503 to retry. */
function refusalFor(error: unknown): unknown {
  if (isApiError(error) && error.type === "conflict") return error;
  if (error instanceof LedgerUnknown)
    return refusal("conflict", "errors.conflict", { fields: { lines: "errors.invoicing.ledger_code_missing" } });
  return Object.assign(refusal("unavailable", undefined, { headers: { "Retry-After": "60" } }), { cause: error });
}

export default resource("invoicing.accounting", {
  model: ExternalRef,
  actions: {
    providers: action({
      rest: "GET /invoicing/providers",
      summary: "List the accounting providers that the operator configured",
      permission: "invoicing.settings.manage",
      returns: list(
        Type.Object({
          key: Type.String({ description: "Names the package to `export`" }),
          label: Type.String({ description: "The package, as people call it" }),
        }),
      ),
      handler: () => accountingProviders(runtime().config).map(({ key, label }) => ({ key, label })),
    }),

    export: action({
      rest: "POST /invoicing/invoices/:invoice_id/export",
      summary: "Export an issued invoice to an accounting provider",
      description:
        "Repeated calls create no second entry. An entry of another origin with the same number is adopted and never overwritten; an unchanged entry is not sent again. The call refuses a line whose tax rate has no ledger account. For a provider of e-invoices it also refuses a document that lacks data required by EN 16931.",
      permission: "invoicing.invoice.write",
      query: { provider: text(50) },
      returns: ExternalRefRead,
      status: 200,
      errors: [`validation ${UNKNOWN}`, "conflict errors.invoicing.wrong_status", "conflict"],
      acts: "outside",
      async prepare(ctx) {
        const { invoice_id, provider: key } = ctx.params;
        const provider = providerOf(key);
        const ask = <T>(name: string) => ctx.call<T, object>(`invoicing.bookkeeping.${name}`, { body: { invoice_id } });
        const entry = await ask<SalesEntry>("entry");
        const known = await rememberedEntry(invoice_id, key);
        const { id: organisationId, slug } = request().organisation;
        try {
          const parts = { known, eInvoice: () => ask<string>("e_invoice"), leave: () => ask<boolean>("leave") };
          return await pushEntry(provider, { organisationId, slug }, entry, parts);
        } catch (error) {
          throw refusalFor(error);
        }
      },
      handler: ({ params: { invoice_id, provider } }) => keepRef(invoice_id, provider, prepared<RememberedEntry>()),
    }),

    refs: action({
      rest: "GET /invoicing/invoices/:invoice_id/refs",
      summary: "List an invoice's references at accounting providers",
      permission: "invoicing.invoice.read:any",
      query: sinceQuery,
      returns: list(ExternalRefRead),
      prepare: (ctx) => ctx.call("invoicing.invoices.get", { invoice_id: ctx.params.invoice_id }),
      handler: ({ params: { invoice_id, updated_since: since } }) => refsOfInvoice(invoice_id, since),
    }),
  },
});
