import { newId } from "../../core/database/model.ts";
import { projection } from "../../core/database/projection.ts";
import { queryOne } from "../../core/database/query.ts";
import { request } from "../../core/request/context.ts";
import { answer, field, instant, json, nullable, Type, uuid } from "../../core/schema/schema.ts";
import type { JsonText } from "../../core/sql/json-text.ts";
import { statement } from "../../core/sql/statement.ts";
import { rowsOf } from "../../mixins/resource.ts";
import { ExternalRef } from "./models.ts";
import type { RememberedEntry } from "./push.ts";

/** The reference of a document at a provider. */
export const ExternalRefRead = answer("ExternalRefRead", {
  id: uuid(),
  provider: Type.String({ description: "Key of the accounting package" }),
  local_type: Type.String({ description: "Kind of document here; `invoice` for invoices and credit notes" }),
  local_id: field(uuid(), "The document here"),
  external_id: Type.String({ description: "The document's id in the accounting package" }),
  payload: json({
    description:
      "`hash`: the hash of the entry in the package. `adopted`: true for an entry of another origin, which the export leaves unchanged",
  }),
  synced_at: field(nullable(instant()), "When it was last exported, UTC; null if never"),
});

const shown = projection({ model: ExternalRef, schema: ExternalRefRead });
const refs = rowsOf({
  model: ExternalRef,
  projection: shown,
  whole: { order: "t.provider, t.id", of: { local_id: "uuid" }, where: "t.local_type = 'invoice'" },
});
const KNOWN = statement(`select external_id, payload from external_refs
  where organisation_id = $1 and local_type = 'invoice' and local_id = $2 and provider = $3`);
const KEEP =
  statement(`insert into external_refs (id, organisation_id, provider, local_type, local_id, external_id, payload, synced_at)
  values ($4, $1, $3, 'invoice', $2, $5, $6, statement_timestamp())
  on conflict on constraint external_refs_local_key do update set external_id = excluded.external_id, payload = excluded.payload,
    synced_at = excluded.synced_at, version = external_refs.version + 1, updated_at = statement_timestamp()
  returning id, provider, local_type, local_id, external_id, payload, synced_at`);

const ofInvoice = (invoiceId: string): [string, string] => [request().organisation.id, invoiceId];

/** An invoice's references, by provider. @param since only references changed since this instant */
export const refsOfInvoice = (invoiceId: string, since: string | undefined): Promise<JsonText> =>
  refs.all({ local_id: invoiceId, updated_since: since });

/** The stored entry of an invoice at a provider, or null. */
export async function rememberedEntry(invoiceId: string, provider: string): Promise<RememberedEntry | null> {
  return (await queryOne<RememberedEntry>(KNOWN, [...ofInvoice(invoiceId), provider])) ?? null;
}

/** Stores an invoice's reference at a provider in the running transaction. @returns the reference as an answer */
export function keepRef(
  invoiceId: string,
  provider: string,
  { external_id, payload }: RememberedEntry,
): Promise<object | undefined> {
  return queryOne(KEEP, [...ofInvoice(invoiceId), provider, newId(), external_id, JSON.stringify(payload)]);
}
