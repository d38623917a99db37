import {
  type DecimalInput,
  type DecimalText,
  decimal,
  formatAmount,
  formatDecimal,
  roundHalfUp,
  sum,
} from "../../../core/values/money.ts";
import type { StoredTaxGroup } from "../documents/models.ts";
import { groupsOf, type TaxedLine } from "./groups.ts";

/** What no quantity reaches, either side of zero. */
export const QUANTITY_LIMIT = 1e8;
/** What no unit price, line amount, total or payment reaches, either side of zero. */
export const AMOUNT_LIMIT = 1e10;

/** Whether a quantity or an amount, rounded as it is stored, stays below a limit on both sides of zero (money §0 "Amounts"). */
export function isWithin(value: DecimalInput, limit: number): boolean {
  return roundHalfUp(value).abs().lessThan(limit);
}

/** A line as the totals see it. */
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

/** Quantity × unit price, each rounded to 2 decimals first and the product again; text with 2 decimals (money §0, §3). */
export function lineAmount(quantity: DecimalInput, unitPrice: DecimalInput): DecimalText {
  return formatAmount(roundHalfUp(quantity).times(roundHalfUp(unitPrice)));
}

/** The totals of a document's lines; one rounding for each tax group, which is named by the first line that names it (money §3). */
export function totalsOf(lines: readonly TotalledLine[], pricesIncludeTax: boolean): Totals {
  const groups = groupsOf(lines, pricesIncludeTax);
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
