import { formatIn } from "../../../../core/values/currencies.ts";
import { type Decimal, type DecimalInput, type DecimalText, decimal } from "../../../../core/values/money.ts";
import { netsOf } from "../../calculation/nets.ts";
import { totalsOf } from "../../calculation/totals.ts";
import { type RatedCategory, taxSubtotals, ublCategory } from "./categories.ts";
import type { InvoicedDocument } from "./document-data.ts";
import { type LinePrice, linePrice, unitCode } from "./line-price.ts";

/** A line as stated by every e-invoice syntax; amounts with the sign that the document shows. */
export interface StatedLine extends LinePrice, RatedCategory {
  readonly id: string;
  readonly name: string;
  readonly unit: "HUR" | "C62";
  readonly net: DecimalText;
}

/** The taxed amounts of one category at one percentage. */
export interface StatedTax extends RatedCategory {
  readonly base: DecimalText;
  readonly tax: DecimalText;
  readonly reason: string | null;
}

/** The amounts of an e-invoice in any syntax, with the currency's number of decimals (money §0 "Amounts"). */
export interface StatedAmounts {
  readonly lines: readonly StatedLine[];
  readonly taxes: readonly StatedTax[];
  readonly subtotal: DecimalText;
  readonly tax_total: DecimalText;
  readonly total: DecimalText;
  /** Null when nothing was paid. */
  readonly paid: DecimalText | null;
  readonly payable: DecimalText;
}

/** The amounts of a document (money §15); a credit note's signs are reversed, so that credits are positive amounts. */
export function amountsOf(document: InvoicedDocument): StatedAmounts {
  const { kind, lines, paid_total, currency } = document;
  const turned = (amount: DecimalInput | Decimal): DecimalText =>
    formatIn(decimal(amount).times(kind === "credit_note" ? -1 : 1), currency);
  const totals = totalsOf(lines, document);
  const nets = netsOf(lines, document);
  const paid = decimal(paid_total);
  return {
    lines: lines.map((line, index) => {
      const net = turned(nets[index] ?? "0");
      return {
        id: String(index + 1),
        name: line.description.replace(/\s+/g, " ").trim(),
        unit: unitCode(line.unit),
        net,
        ...linePrice(decimal(net), line.quantity, line.unit_price),
        ...ublCategory(line.tax_category, line.tax_rate_pct),
      };
    }),
    taxes: taxSubtotals(document).map(({ base, tax, ...rated }) => ({
      ...rated,
      base: turned(base),
      tax: turned(tax),
    })),
    subtotal: turned(totals.subtotal),
    tax_total: turned(totals.tax_total),
    total: turned(totals.total),
    paid: paid.isZero() ? null : turned(paid),
    payable: turned(decimal(totals.total).minus(paid)),
  };
}
