import { conflict, invalid } from "../../../../core/errors/errors.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { isWholeIn } from "../../../../core/values/currencies.ts";
import { type DecimalText, decimal, formatDecimal } from "../../../../core/values/money.ts";
import { depositParts, depositText, shareOf } from "../../calculation/deposits.ts";
import { formatPrice } from "../../calculation/totals.ts";
import { requireRoom } from "../deposits/deductions.ts";
import { storeDraft } from "../invoices/drafting.ts";
import { type NewLine, NO_CLAIM, NOT_DEDUCTED } from "../lines/line-values.ts";
import { linesOf } from "../lines/line-writes.ts";
import type { QuoteRow } from "../models.ts";
import type { DepositWish } from "./quote-schemas.ts";
import { requireStatus } from "./quote-writes.ts";

/** The amount with tax of a deposit. @throws 422 unless it has a percentage or an amount in whole minor units, and not both */
function amountOf({ total, currency }: QuoteRow, { percent, amount }: DepositWish): DecimalText {
  const [hasPercent, hasAmount] = [percent !== null && percent !== undefined, amount !== null && amount !== undefined];
  if (hasPercent === hasAmount)
    throw invalid({ [hasPercent ? "amount" : "percent"]: hasPercent ? "errors.validation" : "errors.required" });
  if (hasPercent) return shareOf(total, percent as string, currency);
  if (!isWholeIn(amount as string, currency)) throw invalid({ amount: "errors.validation" });
  return formatDecimal(amount as string);
}

/** The lines of a deposit: an amount for each rate of the quote, tax included. */
async function depositLines(quote: QuoteRow, amount: DecimalText): Promise<NewLine[]> {
  const { id, number, tax_groups, currency, locale } = quote;
  const lines = await linesOf("quote", id);
  const parts = depositParts(amount, tax_groups, currency);
  return tax_groups.flatMap(({ rate_pct, category, name }, index) => {
    const part = parts[index] as DecimalText;
    if (decimal(part).isZero()) return [];
    const like = lines.find((line) => line.tax_category === category && decimal(line.tax_rate_pct).equals(decimal(rate_pct)));
    return {
      description: depositText(number as string, locale),
      line_kind: "product" as const,
      quantity: "1.00",
      unit: null,
      unit_price: formatPrice(part),
      amount: part,
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
 * Drafts a deposit on an accepted quote that the caller has locked (money §10.1). Drafts count towards the quote's total.
 * @returns the invoice's id
 * @throws 409 `errors.invoicing.wrong_status` unless it is accepted, `errors.invoicing.deposit_exceeds`; 422 `percent`, `amount`
 */
export async function draftDeposit(quote: QuoteRow, wish: DepositWish): Promise<string> {
  requireStatus(quote, "accepted");
  const amount = amountOf(quote, wish);
  if (!decimal(quote.total).greaterThan(0)) throw conflict("errors.invoicing.deposit_exceeds");
  if (decimal(amount).isZero()) throw invalid({ percent: "errors.validation" });
  await requireRoom(quote, { id: null, total: amount }, ["draft", "open", "paid"]);
  const { id, company_id, contact_id, customer, currency, exchange_rate, locale, reference, template_id } = quote;
  const copied = { company_id, contact_id, customer, currency, exchange_rate, locale, reference, template_id };
  const values = { ...copied, prices_include_tax: true, deposit_of: id };
  const invoice_id = await storeDraft(values, await depositLines(quote, amount));
  trail("quote", id, "deposit_drafted", { invoice_id, amount });
  return invoice_id;
}
