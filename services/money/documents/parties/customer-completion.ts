import { conflict, invalid } from "../../../../core/errors/errors.ts";
import { storedAddresses } from "../../../../core/mail/addresses.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { blankToNull } from "../../../../core/values/text.ts";
import type { Customer } from "../../calculation/bill-to.ts";
import { countryOf } from "../code-lists.ts";
import { CustomerWrite } from "../document-schemas.ts";
import type { InvoiceRow } from "../models.ts";

const FIELDS = Object.keys(CustomerWrite.properties) as (keyof Customer)[];

/** The stored form of a field's text, null when invalid. */
function storedAs(field: keyof Customer, text: string): string | null {
  if (field === "country") return countryOf(text);
  return field === "email" ? (storedAddresses(text) ?? null) : text;
}

/**
 * Fills blank fields in the bill-to party of an issued invoice (money §4 "Ready for e-invoicing"); fields filled at issue never change.
 * Drafts reject this, because issue copies their party from the client.
 * @returns the filled fields, empty when only blanks were sent
 * @throws 409 `errors.invoicing.wrong_status` for a draft, `errors.invoicing.locked` naming a filled field; 422 by field
 */
export function completedCustomer(
  { status, customer }: Pick<InvoiceRow, "status" | "customer">,
  sent: Static<typeof CustomerWrite>,
): Partial<Customer> {
  if (status === "draft") throw conflict("errors.invoicing.wrong_status", "customer");
  const named = FIELDS.filter((field) => sent[field] !== undefined);
  const locked = named.find((field) => customer[field]);
  if (locked) throw conflict("errors.invoicing.locked", locked);
  const filled: Partial<Customer> = {};
  const refused: Record<string, string> = {};
  for (const field of named) {
    const text = blankToNull(sent[field])?.trim();
    if (text === undefined) continue;
    filled[field] = storedAs(field, text);
    if (filled[field] === null) refused[field] = field === "email" ? "errors.invalid_email" : "errors.validation";
  }
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return filled;
}
