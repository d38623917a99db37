import type { IsoDate } from "../../../../core/calendar/calendar.ts";
import { type DecimalText, formatDecimal, sum } from "../../../../core/values/money.ts";
import type { Price } from "../../../../core/values/prices.ts";
import type { PeriodLine } from "../../../../core/values/recurring-source.ts";
import { lineAmount } from "../../calculation/totals.ts";
import type { AgreementLine } from "../models.ts";
import { amountAt } from "../prices.ts";

/** The agreement's own lines, at their own prices; empty if it has only a price. */
export const ownLines = (lines: readonly AgreementLine[]): PeriodLine[] =>
  lines.map(({ description, quantity, unit_amount }) => ({ description, quantity, unit_price: unit_amount }));

/** The lines of a period: the agreement's own, else one line at the price of the period (money §9 "Period lines"). */
export function periodLines(name: string, lines: readonly AgreementLine[], price: DecimalText): PeriodLine[] {
  return lines.length > 0 ? ownLines(lines) : [{ description: name, quantity: "1.00", unit_price: price }];
}

/** The total of a period's lines, as entered. */
export const amountOf = (lines: readonly PeriodLine[], currency: string): DecimalText =>
  formatDecimal(sum(lines.map(({ quantity, unit_price }) => lineAmount(quantity, unit_price, currency))));

/** The amount and lines of the period that ends on a day. */
export function billedFor(
  agreement: { name: string; currency: string; lines: readonly AgreementLine[]; prices: readonly Price[] },
  periodEnd: IsoDate,
): { amount: DecimalText; lines: PeriodLine[] } {
  const { name, currency, lines, prices } = agreement;
  const billed = periodLines(name, lines, amountAt(prices, periodEnd));
  return { amount: amountOf(billed, currency), lines: billed };
}
