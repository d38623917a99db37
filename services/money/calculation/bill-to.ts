/** The bill-to party stored on a document (money §2). */
export type Customer = Record<
  | "name"
  | "trade_name"
  | "address_line1"
  | "address_line2"
  | "postal_code"
  | "city"
  | "country"
  | "vat_number"
  | "coc_number"
  | "client_number"
  | "email"
  | "attn",
  string | null
>;

/** The fields of a client that a bill-to party copies. */
export interface BilledClient {
  readonly name: string;
  readonly legal_name: string | null;
  readonly address_line1: string | null;
  readonly house_number: string | null;
  readonly address_line2: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  readonly country: string | null;
  readonly vat_number: string | null;
  readonly coc_number: string | null;
  readonly client_number: string | null;
  readonly invoice_email: string | null;
}

/** The contact of a document. */
export interface BilledContact {
  readonly first_name: string;
  readonly last_name: string | null;
  readonly email: string | null;
}

/** The bill-to party of a new document, copied from its client and contact (money §2 "Bill-to"). */
export function customerOf(client: BilledClient, contact: BilledContact | null): Customer {
  return {
    name: client.legal_name || client.name,
    trade_name: client.name,
    address_line1: joined(client.address_line1, client.house_number),
    address_line2: client.address_line2,
    postal_code: client.postal_code,
    city: client.city,
    country: client.country,
    vat_number: client.vat_number,
    coc_number: client.coc_number,
    client_number: client.client_number,
    email: contact?.email || client.invoice_email || null,
    attn: contact && joined(contact.first_name, contact.last_name),
  };
}

/**
 * The bill-to party at issue: the current client, with the draft's e-mail and attention line (money §2). A client without a country gets
 * the organisation's (money §4, conventions §15).
 * @param country the organisation's
 */
export function customerAtIssue(
  client: BilledClient,
  contact: BilledContact | null,
  draft: Partial<Customer>,
  country: string | null,
): Customer {
  const fresh = customerOf(client, contact);
  return {
    ...fresh,
    country: fresh.country || country,
    email: draft.email || fresh.email,
    attn: draft.attn || fresh.attn,
  };
}

/** A bill-to party with another contact: its attention line, and its e-mail if it has one (money §2 "Update"). */
export function handedTo(customer: Customer, contact: BilledContact): Customer {
  return { ...customer, email: contact.email || customer.email, attn: joined(contact.first_name, contact.last_name) };
}

/** Joins the non-empty texts by a space; null if both are empty. */
function joined(one: string | null, other: string | null): string | null {
  return [one, other].filter(Boolean).join(" ") || null;
}
