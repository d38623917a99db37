import { later } from "../../../../core/calendar/dates.ts";
import { enqueue, queryOne } from "../../../../core/database/query.ts";
import { lock } from "../../../../core/database/write.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { type DecimalText, decimal, formatDecimal } from "../../../../core/values/money.ts";
import { discountTaken, type PaymentDiscount } from "../../calculation/discount.ts";
import { outstandingOf } from "../../calculation/settlement.ts";
import { spread } from "../../calculation/spread.ts";
import { discountNoteText } from "../../calculation/terms-text.ts";
import { formatPrice } from "../../calculation/totals.ts";
import { readSettings } from "../../settings/settings-rows.ts";
import { type NewLine, NO_CLAIM, NOT_DEDUCTED } from "../lines/line-values.ts";
import { linesOf } from "../lines/line-writes.ts";
import { Invoice, type InvoiceRow } from "../models.ts";
import { noteOf } from "./crediting.ts";
import { storeDraft } from "./drafting.ts";
import { cancelInvoice } from "./invoice-changes.ts";
import { issue } from "./issuing.ts";

const PAID_UNTIL = statement(
  `select max(paid_on)::text as day from invoice_payments where organisation_id = $1 and invoice_id = $2`,
);
// Payments have no version of their own: the invoice has it.
const LINK = statement("update invoice_payments set discount_note_id = $3 where organisation_id = $1 and id = $2");

/** The lines of a credit note that takes an amount with tax off an invoice, in proportion to its rates. Prices include tax. */
async function discountLines(invoice: InvoiceRow, amount: DecimalText): Promise<NewLine[]> {
  const { tax_groups, currency, locale, payment_discount, number } = invoice;
  const lines = await linesOf("invoice", invoice.id);
  const parts = spread(
    amount,
    tax_groups.map(({ base, tax }) => decimal(base).plus(decimal(tax))),
    currency,
  );
  return tax_groups.flatMap(({ rate_pct, category, name }, index) => {
    const price = decimal(parts[index] as DecimalText).negated();
    if (price.isZero()) return [];
    const like = lines.find((line) => line.tax_category === category && decimal(line.tax_rate_pct).equals(decimal(rate_pct)));
    return {
      description: discountNoteText(payment_discount as PaymentDiscount, number as string, locale),
      line_kind: "product",
      quantity: "1.00",
      unit: null,
      unit_price: formatPrice(price),
      amount: formatDecimal(price),
      tax_rate_id: like?.tax_rate_id ?? null,
      tax_rate_pct: rate_pct,
      tax_category: category,
      tax_name: name,
      ...NOT_DEDUCTED,
      ...NO_CLAIM,
    };
  });
}

/**
 * Takes the discount for early payment with a payment that was just booked, if it settles all but the discount in time: issues a credit note
 * of the rest, dated on the day of the payment, because that is when the turnover is less (money §6.1).
 * @param invoice the settled invoice, locked
 */
export async function takeDiscount(invoice: InvoiceRow, paymentId: string): Promise<void> {
  const { organisation } = request();
  if (invoice.status !== "open" || decimal(invoice.discount_left).isZero()) return;
  const paid = await queryOne<{ day: string }>(PAID_UNTIL, [organisation.id, invoice.id]);
  const { day } = paid as { day: string };
  const amount = discountTaken({ ...invoice, outstanding: outstandingOf(invoice), paid_until: day });
  if (decimal(amount).isZero()) return;
  // Money that moved is booked in any case: without a seller nothing can be issued, and the rest stays outstanding.
  const { company_details } = await readSettings();
  if (!company_details.name?.trim()) {
    trail("invoice", invoice.id, "discount_failed", { reason: "errors.invoicing.seller_incomplete" });
    return;
  }
  const values = { ...noteOf(invoice), prices_include_tax: true, is_discount: true };
  const noteId = await storeDraft(values, await discountLines(invoice, amount));
  const note = (await lock(Invoice, noteId)) as InvoiceRow;
  await issue(note, { issue_date: later(day, invoice.issue_date ?? day) });
  enqueue(LINK, [organisation.id, paymentId, noteId]);
  trail("invoice", invoice.id, "discount_taken", { credit_id: noteId, amount });
}

/** Cancels the credit note of a discount whose payment is deleted, unless it is cancelled already; its invoice is locked (money §6.1). */
export async function giveDiscountBack(noteId: string): Promise<void> {
  const note = await lock(Invoice, noteId);
  if (note?.status === "open" || note?.status === "paid") await cancelInvoice(note);
}
