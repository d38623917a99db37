import { addressesOf } from "../../../../core/mail/addresses.ts";
import { plainIban } from "../../../../core/values/iban.ts";
import { countryOf, vatNumberOf } from "../code-lists.ts";
import type { InvoicedDocument } from "./document-data.ts";
import { type ElectronicAddress, electronicAddress } from "./electronic-address.ts";

/** The seller or the buyer, with the document's data: texts trimmed, null for missing ones. */
export interface Party {
  readonly name: string | null;
  readonly trade_name: string | null;
  readonly address_line1: string | null;
  readonly address_line2: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  /** The ISO 3166-1 code. */
  readonly country: string | null;
  /** With its country code. */
  readonly vat_number: string | null;
  readonly coc_number: string | null;
  readonly contact: string | null;
  readonly phone: string | null;
  /** The first of the document's addresses. */
  readonly email: string | null;
  readonly address: ElectronicAddress | null;
}

type Details = Readonly<Record<string, string | null | undefined>>;

/** A text on one line, or null. */
const textOf = (text: string | null | undefined): string | null => (text ?? "").replace(/\s+/g, " ").trim() || null;

function partyOf(details: Details, person: { contact: string | null; phone: string | null }): Party {
  const country = countryOf(details["country"]);
  const vat_number = vatNumberOf(details["vat_number"], country);
  const coc_number = textOf(details["coc_number"]);
  const name = textOf(details["name"]) ?? textOf(details["trade_name"]);
  return {
    name,
    trade_name: textOf(details["trade_name"]) ?? name,
    address_line1: textOf(details["address_line1"]),
    address_line2: textOf(details["address_line2"]),
    postal_code: textOf(details["postal_code"]),
    city: textOf(details["city"]),
    country,
    vat_number,
    coc_number,
    email: addressesOf(textOf(details["email"]))[0] ?? null,
    address: country === null ? null : electronicAddress({ country, vat: vat_number, coc: coc_number }),
    ...person,
  };
}

/** The seller; the organisation is its own contact. */
export const sellerOf = ({ seller }: InvoicedDocument): Party =>
  partyOf(seller, { contact: textOf(seller.name), phone: textOf(seller.phone) });

export const buyerOf = ({ customer }: InvoicedDocument): Party =>
  partyOf(customer, { contact: textOf(customer.attn), phone: null });

/** The account to pay to, without spaces; null without one. */
export function accountOf({ seller }: InvoicedDocument): string | null {
  const iban = plainIban(seller.iban ?? "");
  return iban === "" ? null : iban;
}

/** The bank of that account; null without one. */
export const bicOf = ({ bic }: InvoicedDocument["seller"]): string | null => (bic ?? "").replace(/\s/g, "").toUpperCase() || null;
