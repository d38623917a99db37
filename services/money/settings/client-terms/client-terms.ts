import { newId } from "../../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../../core/database/query.ts";
import { differences, queueUpdate } from "../../../../core/database/write.ts";
import { notFound } from "../../../../core/errors/errors.ts";
import { requireMatch } from "../../../../core/http/etag.ts";
import { request } from "../../../../core/request/context.ts";
import { JsonText } from "../../../../core/sql/json-text.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { type PaymentDiscount, sentDiscount } from "../../calculation/discount.ts";
import { ClientTerms } from "../models.ts";
import type { ClientTermsChange } from "./client-term-schemas.ts";

/** The terms of a client as stored; without a row they have the version of the first one. */
interface StoredTerms {
  company_id: string;
  id: string | null;
  version: number;
  payment_discount: PaymentDiscount | null;
}

const READ = `select c.id as company_id, t.id, coalesce(t.version, 1) as version, t.payment_discount
  from companies c left join client_terms t on t.organisation_id = c.organisation_id and t.company_id = c.id
  where c.organisation_id = $1 and c.id = $2 and ($3::uuid[] is null or c.id in (select selected_companies($3::uuid[])))`;
const SEEN = statement(READ);
const MAKE = statement(`insert into client_terms (id, organisation_id, company_id)
  select $3, c.organisation_id, c.id from companies c where c.organisation_id = $1 and c.id = $2
  on conflict (organisation_id, company_id) do nothing`);
const LOCK = statement("select id from client_terms where organisation_id = $1 and company_id = $2 for update");

/** @throws 404 for a client that the caller does not see */
async function readTerms(companyId: string): Promise<StoredTerms> {
  const { organisation, principal } = request();
  const found = await queryOne<StoredTerms>(SEEN, [organisation.id, companyId, principal?.selection ?? null]);
  if (!found) throw notFound();
  return found;
}

const answered = ({ company_id, payment_discount, version }: StoredTerms): JsonText =>
  new JsonText(JSON.stringify({ company_id, payment_discount }), version);

/** What a client pays by, as answered. @throws 404 for a client that the caller does not see */
export const clientTerms = async (companyId: string): Promise<JsonText> => answered(await readTerms(companyId));

/** Changes what a client pays by. @throws 404 for a client that the caller does not see, 412 */
export async function storeClientTerms(companyId: string, change: ClientTermsChange): Promise<JsonText> {
  const place = [request().organisation.id, (await readTerms(companyId)).company_id];
  enqueue(MAKE, [...place, newId()]);
  await queryOne(LOCK, place);
  const stored = await readTerms(companyId);
  requireMatch(stored.version);
  const changed = differences(stored, { payment_discount: sentDiscount(change.payment_discount) });
  if (!changed) return answered(stored);
  queueUpdate(ClientTerms, stored.id as string, changed);
  trail("company", stored.company_id, "terms_changed", { ...changed });
  return answered({ ...stored, ...changed, version: stored.version + 1 });
}

const DISCOUNT = statement("select payment_discount from client_terms where organisation_id = $1 and company_id = $2");

/** The discount for early payment that a client has; null if it has that of the settings (money §6.1). */
export async function discountOfClient(companyId: string): Promise<PaymentDiscount | null> {
  const row = await queryOne<{ payment_discount: PaymentDiscount | null }>(DISCOUNT, [request().organisation.id, companyId]);
  return row?.payment_discount ?? null;
}
