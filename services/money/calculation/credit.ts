import { Decimal, type DecimalInput, type DecimalText, decimal, formatDecimal, sum } from "../../../core/values/money.ts";
import type { Balance } from "./settlement.ts";
import { formatPrice } from "./totals.ts";

/** The amount an issued credit note takes off its source: at most the source's remaining balance; `"0.00"` for nothing (money §7). */
export function applicableCredit(source: Omit<Balance, "applied_total">, note: { readonly total: DecimalInput }): DecimalText {
  const room = Decimal.max(0, decimal(source.total).minus(decimal(source.paid_total)).minus(decimal(source.credited_total)));
  return formatDecimal(Decimal.max(0, Decimal.min(decimal(note.total).negated(), room)));
}

/**
 * Whether the credit notes together exceed their source, or one of them charges instead of crediting (money §7). For a source below zero
 * the signs are reversed.
 * @param noteTotals of the issued notes and the note being issued
 */
export function exceedsSource(sourceTotal: DecimalInput, noteTotals: Iterable<DecimalInput>): boolean {
  const total = decimal(sourceTotal);
  const given = Array.from(noteTotals, (note) => decimal(note).negated());
  const all = sum(given);
  if (total.isZero()) return given.some((note) => !note.isZero());
  if (total.isPositive()) return all.greaterThan(total) || given.some((note) => note.lessThan(0));
  return all.lessThan(total) || given.some((note) => note.greaterThan(0));
}

/** Whether the issued credit notes cover their source in full; a source of zero or less is never covered (money §7). */
export function isCovered(sourceTotal: DecimalInput, noteTotals: Iterable<DecimalInput>): boolean {
  const total = decimal(sourceTotal);
  return total.greaterThan(0) && !sum(noteTotals).negated().lessThan(total);
}

/** A credit note line that mirrors a source line: price, amount and a stated tax negated, the rest unchanged (money §7). */
export function mirrored<
  Line extends {
    readonly unit_price: DecimalInput;
    readonly amount: DecimalInput;
    readonly tax_amount?: string | null | undefined;
  },
>(line: Line): Line & { unit_price: DecimalText; amount: DecimalText } {
  const { tax_amount } = line;
  return {
    ...line,
    ...(tax_amount !== null && tax_amount !== undefined && { tax_amount: formatDecimal(decimal(tax_amount).negated()) }),
    unit_price: formatPrice(decimal(line.unit_price).negated()),
    amount: formatDecimal(decimal(line.amount).negated()),
  };
}
