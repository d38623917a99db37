import { daysBetween } from "../../../core/calendar/dates.ts";
import { type Palette, paletteOf } from "../../../mixins/documents/colours.ts";
import { discountText, termsText } from "../calculation/terms-text.ts";
import { type BodyBlock, bodyBlock, type Drawn, type FieldView } from "./blocks/body-blocks.ts";
import type { DocumentRow } from "./document-rows.ts";
import type { Prose } from "./prose.ts";
import { type PlacedBlock, type PlacedField, placedBlocks } from "./template-blocks.ts";
import { day, iban, languageOf } from "./texts/formats.ts";
import { markdown } from "./texts/markdown.ts";
import { documentWords, inLanguage, type Words } from "./texts/words.ts";

/** Pictures of a document as `data:` addresses. */
export interface Pictures {
  logo: string | null;
  background: string | null;
  /** The picture on its code. */
  onCode: string | null;
}

/** The data a template prints of a document: formatted texts, with all rules applied (docs/invoice-templates.md). */
export interface DocumentView {
  locale: string;
  /** The document's title for readers and PDF viewers: `Factuur 2026-0001`. */
  title: string;
  heading: string;
  watermark: string | null;
  /** `YYYY-MM-DD`. */
  dated: string;
  brand: string;
  logo: string | null;
  palette: Palette;
  seller: FieldView[];
  bill_to: FieldView[];
  meta: FieldView[];
  body: BodyBlock[];
  /** Formatted values of the document for custom bodies, in addition to the blocks. */
  document: Record<string, string | null>;
  customer: Record<string, string | null>;
  company: Record<string, string | null>;
}

const lines = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join("\n");
const spaced = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join("  ");

/** The heading of a document in its language. */
export function headingOf(row: DocumentRow, words: Words): string {
  if (row.document === "quote") return words.quote;
  if (row.kind === "credit_note") return words.credit_note;
  return row.proforma ? words.proforma_invoice : words.invoice;
}

/** The word across the pages of what is no invoice yet, or no more. */
function watermarkOf({ status, proforma }: DocumentRow, words: Words): string | null {
  if (status === "draft") return proforma ? words.proforma : words.draft;
  return status === "cancelled" ? words.cancelled : null;
}

const regions = new Map<string, Intl.DisplayNames>();

/** The name of a country in the document's language. */
function countryName(code: string | null | undefined, locale: string): string | null {
  if (!code || !/^[A-Z]{2}$/.test(code)) return code ?? null;
  const language = /^[a-z]{2}$/.test(languageOf(locale)) ? languageOf(locale) : "en";
  let names = regions.get(language);
  if (!names) regions.set(language, (names = new Intl.DisplayNames([language, "en"], { type: "region", fallback: "code" })));
  return names.of(code) ?? code;
}

/** Values of the seller by field. */
function sellerValues({ seller, locale }: Pick<DocumentRow, "seller" | "locale">): Record<string, string | null | undefined> {
  return {
    ...seller,
    address: lines(seller.address_line1, seller.address_line2),
    postal_city: spaced(seller.postal_code, seller.city),
    country: countryName(seller.country, locale),
    iban: seller.iban && iban(seller.iban),
  };
}

function customerValues(
  { customer, document, locale }: Pick<DocumentRow, "customer" | "document" | "locale">,
  words: Words,
): Record<string, string | null | undefined> {
  return {
    ...customer,
    label: document === "quote" ? words.bill_to["quote"] : words.bill_to["label"],
    address: lines(customer.address_line1, customer.address_line2),
    postal_city: spaced(customer.postal_code, customer.city),
    country: countryName(customer.country, locale),
  };
}

/** Seller and addressee of a letter in the shipped design, as on an invoice without a template. @param label above the addressee */
export function lettersParties(
  letter: Pick<DocumentRow, "seller" | "customer" | "locale">,
  label: string,
): Pick<DocumentView, "seller" | "bill_to"> {
  const words = documentWords(letter.locale);
  const fields = (block: "seller" | "bill_to", values: Record<string, string | null | undefined>): FieldView[] =>
    (placedBlocks({}).find(({ key }) => key === block)?.fields ?? []).flatMap(({ key }) => {
      const value = values[key];
      return value ? [{ key, label: key === "label" ? "" : (words[block][key] ?? ""), value }] : [];
    });
  const customer = { ...customerValues({ ...letter, document: "invoice" }, words), label };
  return { seller: fields("seller", sellerValues(letter)), bill_to: fields("bill_to", customer) };
}

/** The last day to pay or accept a document. */
const untilOf = (row: DocumentRow): string | null => (row.document === "quote" ? row.valid_until : row.due_date);

/**
 * The terms that gave an invoice its due date, else the days until that date, and the discount that it promises. A due date of a draft goes
 * before its terms.
 */
function printedTerms(row: DocumentRow & { document: "invoice" }): string | null {
  const discount = row.discount_until && row.payment_discount ? discountText(row.payment_discount, row.locale) : null;
  return [dueTerms(row), discount].filter((text) => text !== null).join(", ") || null;
}

function dueTerms(row: DocumentRow & { document: "invoice" }): string | null {
  const { status, issue_date, due_date, payment_terms, locale } = row;
  if (payment_terms && (status !== "draft" || due_date === null)) return termsText(payment_terms, locale);
  if (!issue_date || !due_date) return null;
  return termsText({ days: Math.max(0, daysBetween(issue_date, due_date)), basis: "invoice_date" }, locale);
}

function metaValues(row: DocumentRow): Record<string, string | null | undefined> {
  const until = untilOf(row);
  const isInvoice = row.document === "invoice";
  const isToPay = isInvoice && row.kind === "invoice";
  const period = isInvoice && row.period_end && lines(row.period_start && `${day(row.period_start)} –`, day(row.period_end));
  return {
    number: row.number,
    issue_date: row.issue_date && day(row.issue_date),
    reference: row.reference,
    due_date: until && (!isInvoice || isToPay) ? day(until) : null,
    payment_terms: isToPay ? printedTerms(row) : null,
    client_number: row.customer.client_number,
    delivery_date: isInvoice && row.delivery_date ? day(row.delivery_date) : null,
    period: period ? period.replace("\n", " ") : null,
  };
}

/** A document as template data. */
export function documentView(row: DocumentRow, pictures: Pictures, prose: Prose = markdown): DocumentView {
  const { locale } = row;
  const words = documentWords(locale);
  const template = row.template ?? {};
  const placed = placedBlocks(template);
  const heading = headingOf(row, words);
  const number = row.number ?? "";
  const palette = paletteOf(template.accent_color, row.accent_color, row.primary_color);

  const worded = ({ key, labels }: PlacedField, builtIn: string | undefined): string =>
    inLanguage(labels, locale) ?? builtIn ?? words.meta[key] ?? "";
  const fieldsOf = (
    block: string,
    values: Record<string, string | null | undefined>,
    labels: Record<string, string>,
  ): FieldView[] =>
    (placed.find(({ key }) => key === block)?.fields ?? []).flatMap((field) => {
      const value = values[field.key];
      if (!value) return [];
      return [{ key: field.key, label: field.key === "label" ? "" : worded(field, labels[field.key] ?? ""), value }];
    });
  const billTo = fieldsOf("bill_to", customerValues(row, words), words.bill_to).map((field) =>
    field.key === "label" ? { ...field, value: ownLabel(placed, locale) ?? field.value } : field,
  );
  const meta = metaValues(row);
  const metaLabels = { ...words.meta, ...(row.document === "quote" && { due_date: words.meta["valid_until"] ?? "" }) };
  const credits = row.credit_for_number
    ? [{ key: "credit_for", label: words.meta["credit_for"] ?? "", value: row.credit_for_number }]
    : [];

  const keys = new Set(placed.map(({ key }) => key));
  const drawn: Drawn = { row, words, palette, worded, onCode: pictures.onCode, keys, prose };
  return {
    locale,
    title: [heading, number].filter(Boolean).join(" "),
    heading,
    watermark: watermarkOf(row, words),
    dated: row.issue_date ?? row.created_at.slice(0, 10),
    brand: row.brand,
    logo: placed.some(({ key }) => key === "logo") ? pictures.logo : null,
    palette,
    seller: fieldsOf("seller", sellerValues(row), words.seller),
    bill_to: billTo,
    meta: [...fieldsOf("meta", meta, metaLabels), ...credits],
    body: placed.flatMap((block) => (block.region === "body" ? (bodyBlock(block, drawn) ?? []) : [])),
    document: {
      kind: row.document === "quote" ? "quote" : row.kind,
      status: row.status,
      currency: row.currency,
      ...(meta as Record<string, string | null>),
    },
    customer: { ...row.customer },
    company: { ...row.seller } as Record<string, string | null>,
  };
}

/** The template's own label of the addressee. */
function ownLabel(placed: readonly PlacedBlock[], locale: string): string | null {
  const field = placed.find(({ key }) => key === "bill_to")?.fields.find(({ key }) => key === "label");
  return inLanguage(field?.labels, locale);
}
