import { invalid } from "../../../../core/errors/errors.ts";
import { decimal } from "../../../../core/values/money.ts";
import { blankToNull } from "../../../../core/values/text.ts";
import {
  AMOUNT_LIMIT,
  formatPrice,
  isWithin,
  lineAmount,
  PRICE_PLACES,
  QUANTITY_LIMIT,
  type Totals,
} from "../../calculation/totals.ts";
import type { DocumentLineRow } from "../models.ts";
import type { SentLine } from "./line-schemas.ts";

/** A line to store, without its row columns. */
export type NewLine = Omit<DocumentLineRow, "id" | "organisation_id" | "invoice_id" | "quote_id" | "position" | "created_at">;
/** The same before its tax is frozen: `tax_rate_id` is the requested rate. */
export type UntaxedLine = Omit<NewLine, "tax_rate_pct" | "tax_category" | "tax_name">;

/** A line without claims (money §8 "Line claims"). */
export const NO_CLAIM = { time_entry_ids: [], subscription_id: null, domain_id: null, period_start: null, period_end: null };

/** A line that deducts no deposit. */
export const NOT_DEDUCTED = { deposit_id: null, tax_amount: null };

/** The error in a line's claim, or null. */
function claimError({ subscription_id, domain_id, period_end, ...line }: SentLine): string | null {
  const hasHours = !!line.time_entry_id || (line.time_entry_ids ?? []).length > 0;
  const sources = [hasHours, !!subscription_id, !!domain_id].filter(Boolean).length;
  if (sources > 1) return "errors.invoicing.one_claim_per_line";
  const hasPeriod = !!subscription_id || !!domain_id;
  if (hasPeriod && !period_end) return "errors.invoicing.subscription_period_required";
  if (!hasPeriod && period_end) return "errors.invoicing.subscription_required";
  return null;
}

/** Whether a quantity or unit price can be stored exactly. */
const isPriced = (value: string | number, limit: number): boolean =>
  isWithin(value, limit) && decimal(value).decimalPlaces() <= PRICE_PLACES;

/** The time entries of a line, including `time_entry_id`. */
const entriesOf = ({ time_entry_id: one, time_entry_ids: many = [] }: SentLine): string[] => [
  ...new Set([...(one ? [one] : []), ...many].map((id) => id.toLowerCase())),
];

/**
 * The lines to store, without tax (money §0 "Amounts", §2 "Line", §8 "Line claims").
 * @param currency the document's: amounts are rounded to its minor unit
 * @param claims whether they may bill hours and periods; otherwise claims are validated and dropped
 * @throws 422 naming the field that is too large, too precise or empty; an invalid claim is named by the line's index
 */
export function plainLines(sent: readonly SentLine[], currency: string, claims: boolean): UntaxedLine[] {
  const refused: Record<string, string> = {};
  const made = sent.map((line, index): UntaxedLine => {
    const { line_kind = "product", quantity = "1", unit_price = "0", tax_rate_id = null } = line;
    const description = line.description.replace(/\r\n?|[\u2028\u2029]/g, "\n").trim();
    if (description === "") refused["description"] = "errors.validation";
    if (line.deposit_id) refused["deposit_id"] = "errors.validation";
    const error = claimError(line);
    if (error) refused[String(index)] = error;
    const amount = lineAmount(quantity, unit_price, currency);
    const [isQuantity, isPrice] = [isPriced(quantity, QUANTITY_LIMIT), isPriced(unit_price, AMOUNT_LIMIT)];
    if (!isQuantity) refused["quantity"] = "errors.validation";
    if (!isPrice) refused["unit_price"] = "errors.validation";
    if (isQuantity && isPrice && !isWithin(amount, AMOUNT_LIMIT)) refused["lines"] = "errors.validation";
    const { period_start = null, period_end = null } = line;
    const [subscription_id = null, domain_id = null] = [line.subscription_id?.toLowerCase(), line.domain_id?.toLowerCase()];
    return {
      description,
      line_kind,
      quantity: isQuantity ? formatPrice(quantity) : "0.00",
      unit: blankToNull(line.unit)?.trim() ?? null,
      unit_price: isPrice ? formatPrice(unit_price) : "0.00",
      amount,
      tax_rate_id,
      ...NOT_DEDUCTED,
      ...(claims ? { time_entry_ids: entriesOf(line), subscription_id, domain_id, period_start, period_end } : NO_CLAIM),
    };
  });
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return made;
}

/** @throws 422 `lines` when a document's totals are too large to store (money §0 "Amounts") */
export function requireStorable(totals: Totals): Totals {
  const amounts = [totals.subtotal, totals.tax_total, totals.total];
  if (!amounts.every((amount) => isWithin(amount, AMOUNT_LIMIT))) throw invalid({ lines: "errors.validation" });
  return totals;
}
