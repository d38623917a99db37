import { decimal } from "../../../../core/values/money.ts";
import { totalsOf } from "../../calculation/totals.ts";
import { CURRENCIES } from "../code-lists.ts";
import { taxSubtotals } from "./categories.ts";
import type { InvoicedDocument, Profile } from "./document-data.ts";
import { isSwedishNumber } from "./electronic-address.ts";
import { accountOf, buyerOf, type Party, sellerOf } from "./parties.ts";

/** The missing data of an e-invoice: a translation key by field. For a field of both parties, the seller's key comes first. */
export type Missing = Readonly<Record<string, string>>;

/** One missing field of an e-invoice, and the translation key that names its owner: seller, buyer or document. */
export interface Problem {
  readonly field: string;
  readonly message: string;
}

/** Whether a document qualifies as an e-invoice of a profile, and what it lacks. */
export interface Readiness {
  readonly ready: boolean;
  readonly problems: readonly Problem[];
}

const SELLER = "errors.invoicing.seller_incomplete";
const CUSTOMER = "errors.invoicing.customer_incomplete";
const DOCUMENT = "errors.validation";

type Field = keyof Party | "iban" | "bic" | "currency" | "credit_for_id" | "due_date" | "tax_rate_pct" | "lines";
type Lack = readonly [lacks: boolean, field: Field, message: string];

/** The missing ones of `fields` of a party. */
const lacking = (party: Party, message: string, fields: readonly (keyof Party)[]): Lack[] =>
  fields.map((field) => [party[field] === null, field, message]);

/**
 * The unmet requirements of a profile (money §15), without duplicates. EN 16931 requires both names and countries, the seller's VAT number
 * for every category, a registration of the buyer for a reverse charge, and a due date while an amount is to be paid. Peppol also requires
 * both electronic addresses and the national rules of the seller's country.
 */
export function problemsOf(document: InvoicedDocument, profile: Profile): Problem[] {
  const seller = sellerOf(document);
  const buyer = buyerOf(document);
  const reverse = taxSubtotals(document).some(({ category }) => category === "AE");
  const lacks: Lack[] = [
    ...lacking(seller, SELLER, ["name", "country", "vat_number"]),
    ...lacking(buyer, CUSTOMER, ["name", "country"]),
    [reverse && buyer.vat_number === null && buyer.coc_number === null, "vat_number", CUSTOMER],
    [!CURRENCIES.has(document.currency), "currency", DOCUMENT],
    [document.lines.length === 0, "lines", DOCUMENT],
    // BR-CO-25, which the published rule files leave out. Issue gives a draft, which has no number yet, its due date.
    [Boolean(document.number) && document.due_date === null && isToBePaid(document), "due_date", DOCUMENT],
    ...(profile === "peppol" ? peppol(document, seller, buyer) : []),
  ];
  const problems = lacks.flatMap(([isLacking, field, message]) => (isLacking ? [{ field, message }] : []));
  return problems.filter(
    ({ field, message }, index) => problems.findIndex((one) => one.field === field && one.message === message) === index,
  );
}

/** The same by field, for the refusal of an e-invoice. */
export function missingFields(document: InvoicedDocument, profile: Profile): Missing {
  const missing: Record<string, string> = {};
  for (const { field, message } of problemsOf(document, profile)) missing[field] ??= message;
  return missing;
}

/** Whether a document qualifies as an e-invoice of a profile (money §4 "Ready for e-invoicing"). */
export function readinessOf(document: InvoicedDocument, profile: Profile): Readiness {
  const problems = problemsOf(document, profile);
  return { ready: problems.length === 0, problems };
}

/** Countries whose suppliers must state data that documents do not hold (means of payment, number formats, registrations). */
const UNSUPPORTED = new Set(["DK", "GR", "IS", "NO"]);

function peppol(document: InvoicedDocument, seller: Party, buyer: Party): Lack[] {
  const country = seller.country ?? "";
  return [
    [seller.address === null, "vat_number", SELLER],
    [buyer.address === null, "vat_number", CUSTOMER],
    [UNSUPPORTED.has(country), "country", SELLER],
    ...(NATIONAL[country]?.(document, seller, buyer) ?? []),
  ];
}

const ADDRESS = ["address_line1", "city", "postal_code"] as const;

/** National Peppol requirements for suppliers, in addition to the general ones. */
const NATIONAL: Readonly<Record<string, (document: InvoicedDocument, seller: Party, buyer: Party) => Lack[]>> = {
  NL: (document, seller, buyer) => [
    ...lacking(seller, SELLER, [...ADDRESS, "coc_number"]),
    ...(buyer.country === "NL" ? lacking(buyer, CUSTOMER, ADDRESS) : []),
    [isToBePaid(document) && accountOf(document) === null, "iban", SELLER],
    [document.kind === "credit_note" && document.source_number === null, "credit_for_id", DOCUMENT],
  ],
  DE: (document, seller, buyer) =>
    buyer.country !== "DE"
      ? []
      : [
          ...lacking(seller, SELLER, ["city", "postal_code"]),
          ...lacking(buyer, CUSTOMER, ["city", "postal_code"]),
          [accountOf(document) === null, "iban", SELLER],
          [!/\d.*\d.*\d/.test(seller.phone ?? ""), "phone", SELLER],
          [!/^[^@\s]+@[^@.\s]+(?:\.[^@.\s]+)+$/.test(seller.email ?? ""), "email", SELLER],
        ],
  IT: (_, seller) => lacking(seller, SELLER, ADDRESS),
  SE: (document, seller) => [
    [!/^SE\d{12}$/.test(seller.vat_number ?? ""), "vat_number", SELLER],
    [seller.coc_number !== null && !isSwedishNumber(seller.coc_number.replace(/\D/g, "")), "coc_number", SELLER],
    [taxSubtotals(document).some(({ category, percent }) => category === "S" && ![25, 12, 6].includes(percent.toNumber())), "tax_rate_pct", DOCUMENT],
  ], // biome-ignore format: a table
};

/** Whether an amount is left to pay; never for a credit note. */
function isToBePaid(document: InvoicedDocument): boolean {
  return (
    document.kind === "invoice" && decimal(totalsOf(document.lines, document).total).greaterThan(decimal(document.paid_total))
  );
}
