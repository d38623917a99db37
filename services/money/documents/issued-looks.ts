import { enqueue } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { Owner } from "./lines/line-writes.ts";

/**
 * Joins the look of a document on alias `t`: the organisation and template data it was issued with (money §1 "company_details"). A trigger
 * stores it at issue; drafts have none.
 */
export const LOOK_JOIN = "left join issued_looks look on look.organisation_id = t.organisation_id and look.id = t.look_id";

const SELLER = "coalesce(look.seller, s.company_details, jsonb_build_object('name', coalesce(o.brand_name, o.name)))";
/**
 * The seller of a document with {@link LOOK_JOIN}, the settings on alias `s` and the organisation on alias `o`: the frozen one, else the
 * current one; of an invoice with the fields filled on it alone where that one's are blank.
 */
export const sellerOf = (owner: Owner): string =>
  owner === "quote"
    ? SELLER
    : `case when t.seller_filled = '{}' then ${SELLER} else ${SELLER} || t.seller_filled || jsonb_strip_nulls(${SELLER}) end`;

const FREEZE = "look_id = issued_look(organisation_id, template_id, look_id) where organisation_id = $1 and status <> 'draft'";
const REFREEZE = {
  invoice: statement(`update invoices set ${FREEZE} and id = $2`),
  quote: statement(`update quotes set ${FREEZE} and id = $2`),
};
const FREEZE_ALL = [
  statement(`update invoices set ${FREEZE} and look_id is null`),
  statement(`update quotes set ${FREEZE} and look_id is null`),
];

/** Freezes the new template of an issued document; seller and brand stay as at issue. Sent with the next read or the commit. */
export function refreezeLook(owner: Owner, id: string): void {
  enqueue(REFREEZE[owner], [request().organisation.id, id]);
}

/** Freezes the looks of documents stored as issued without an issue. */
export function freezeLooks(): void {
  for (const freezeAll of FREEZE_ALL) enqueue(freezeAll, [request().organisation.id]);
}
