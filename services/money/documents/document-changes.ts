import { conflict } from "../../../core/errors/errors.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { Type } from "../../../core/schema/schema.ts";
import { placesOf } from "../../../core/values/currencies.ts";
import { handedTo } from "../calculation/bill-to.ts";
import { lineAmount, totalsOf } from "../calculation/totals.ts";
import type { changedDocument } from "./document-schemas.ts";
import { documentTexts } from "./document-values.ts";
import { hasLeft } from "./left.ts";
import { type NewLine, requireStorable } from "./lines/line-values.ts";
import { linesOf, type Owner, taxedLines } from "./lines/line-writes.ts";
import type { InvoiceRow, QuoteRow } from "./models.ts";
import { contactFor } from "./parties/billed-party.ts";
import { requireTemplate } from "./references.ts";

const _change = Type.Object({} as typeof changedDocument);
/** The changeable fields that invoices and quotes share. */
type DocumentChange = Static<typeof _change>;

/** Fields of a document that may change once it has left: they do not print, or print its state (money §4). */
const AFTER_LEAVING = new Set([
  "contact_id",
  "due_date",
  "payment_terms",
  "valid_until",
  "exchange_rate",
  "reminders_paused",
  "custom",
]);

/**
 * Requires that a change leaves a document that has left as it is.
 * @param changed its new values, of the fields that differ
 * @throws 409 `errors.invoicing.locked` that names a field of what it prints
 */
export function requireUnleft(before: InvoiceRow | QuoteRow, changed: object | null): void {
  const fixed = hasLeft(before) ? Object.keys(changed ?? {}).find((name) => !AFTER_LEAVING.has(name)) : undefined;
  if (fixed) throw conflict("errors.invoicing.locked", fixed === "seller_filled" ? "seller" : fixed);
}

/** @throws 409 `errors.invoicing.locked` for another client than the document's */
export function requireSameClient(
  { company_id }: Pick<InvoiceRow | QuoteRow, "company_id">,
  sent: string | null | undefined,
): void {
  if (sent !== undefined && (sent?.toLowerCase() ?? null) !== company_id) throw conflict("errors.invoicing.locked", "company_id");
}

/**
 * The columns that an update of an invoice or a quote sets, without lines, totals and custom fields (money §2 "Update").
 * @throws 400 `contact_id`, `template_id` for unknown ones, 422 for a broken rule
 */
export async function changedValues(before: InvoiceRow | QuoteRow, body: DocumentChange) {
  const { contact_id, template_id, issue_date, prices_include_tax } = body;
  const texts = documentTexts(body);
  const [contact] = await Promise.all([contact_id ? contactFor(contact_id) : null, requireTemplate(template_id)]);
  return {
    ...texts,
    issue_date,
    prices_include_tax,
    template_id: template_id?.toLowerCase() ?? template_id,
    contact_id: contact_id?.toLowerCase() ?? contact_id,
    customer: contact ? handedTo(before.customer, contact) : undefined,
  };
}

/** A line with its amount recomputed in another currency. */
const repriced = <Line extends NewLine>(line: Line, currency: string): Line => ({
  ...line,
  amount: lineAmount(line.quantity, line.unit_price, currency),
});

/**
 * The replacement lines of a document, null when they stay, and its totals when lines or pricing change. A new currency with another minor
 * unit reprices the stored lines.
 * @param claims whether lines may bill hours and periods
 * @param deducted of a final invoice, makes the lines that deduct its deposits, which stand after its own (money §10.1)
 * @throws 400 `lines` for an unknown tax rate, 422 for a broken rule
 */
export async function rewrittenLines(
  owner: Owner,
  before: InvoiceRow | QuoteRow,
  body: DocumentChange,
  claims: boolean,
  deducted: ((pricing: { prices_include_tax: boolean }) => Promise<NewLine[]>) | null = null,
): Promise<{ lines: NewLine[] | null; totals: Partial<ReturnType<typeof totalsOf>> }> {
  const { currency: sentCurrency } = documentTexts(body);
  const after = {
    locale: body.locale ?? before.locale,
    currency: sentCurrency ?? before.currency,
    prices_include_tax: body.prices_include_tax ?? before.prices_include_tax,
  };
  const isRepriced = placesOf(after.currency) !== placesOf(before.currency);
  if (!body.lines && !isRepriced && after.prices_include_tax === before.prices_include_tax) return { lines: null, totals: {} };
  const sent = deducted ? body.lines?.filter(({ deposit_id }) => !deposit_id) : body.lines;
  const written = sent ? await taxedLines(sent, after, claims) : await linesOf(owner, before.id);
  const own = deducted ? written.filter(({ deposit_id }) => deposit_id === null) : written;
  const whole = [...own, ...((await deducted?.(after)) ?? [])];
  const lines = isRepriced ? whole.map((line) => repriced(line, after.currency)) : whole;
  return { lines: body.lines || isRepriced || deducted ? lines : null, totals: requireStorable(totalsOf(lines, after)) };
}
