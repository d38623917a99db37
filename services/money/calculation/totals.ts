import { formatRounded } from "../../../core/values/currencies.ts";
import { type DecimalInput, type DecimalText, decimal, formatDecimal, formatExact, sum } from "../../../core/values/money.ts";
import { groupsOf, type Pricing, type TaxCategory, type TaxedLine } from "./groups.ts";

/** One tax rate of a document, with its base and tax; amounts are text with 2 decimals (money §3). */
export interface StoredTaxGroup {
  name: string;
  rate_pct: string;
  category: TaxCategory;
  base: string;
  tax: string;
}

/** Exclusive limit of quantities, on both sides of zero. */
export const QUANTITY_LIMIT = 1e8;
/** Exclusive limit of unit prices, line amounts, totals and payments, on both sides of zero. */
export const AMOUNT_LIMIT = 1e10;

/** Maximum decimals of a quantity and of a unit price. */
export const PRICE_PLACES = 4;

/** Whether a quantity or an amount stays below a limit on both sides of zero (money §0 "Amounts"). */
export function isWithin(value: DecimalInput, limit: number): boolean {
  return decimal(value).abs().lessThan(limit);
}

/** A quantity or unit price as stored and answered: the sent value, with at least 2 decimals. Throws RangeError beyond 4. */
export const formatPrice = (value: DecimalInput): DecimalText => formatExact(value, PRICE_PLACES);

/** The fields of a line that totals need. */
export interface TotalledLine extends TaxedLine {
  readonly tax_name: string;
}

/** Amounts as text with 2 decimals; the groups highest percentage first. */
export interface Totals {
  readonly subtotal: DecimalText;
  readonly tax_total: DecimalText;
  readonly total: DecimalText;
  readonly tax_groups: readonly StoredTaxGroup[];
}

/** Quantity × unit price, rounded once to the minor unit of the currency; text with 2 decimals (money §0, §3). */
export function lineAmount(quantity: DecimalInput, unitPrice: DecimalInput, currency: string): DecimalText {
  return formatRounded(decimal(quantity).times(decimal(unitPrice)), currency);
}

/** The totals of a document's lines; rounds once per tax group and names each group after its first named line (money §3). */
export function totalsOf(lines: readonly TotalledLine[], pricing: Pricing): Totals {
  const groups = groupsOf(lines, pricing);
  const subtotal = sum(groups.map(({ base }) => base));
  const taxTotal = sum(groups.map(({ tax }) => tax));
  return {
    subtotal: formatDecimal(subtotal),
    tax_total: formatDecimal(taxTotal),
    total: formatDecimal(decimal(subtotal).plus(taxTotal)),
    tax_groups: groups.map(({ pct, category, base, tax, lines: members }) => ({
      name: members.find(({ tax_name }) => tax_name !== "")?.tax_name ?? "",
      rate_pct: formatDecimal(pct),
      category,
      base: formatDecimal(base),
      tax: formatDecimal(tax),
    })),
  };
}
