import { formatRounded } from "../../../core/values/currencies.ts";
import { type DecimalInput, type DecimalText, decimal, formatDecimal, sum } from "../../../core/values/money.ts";
import { spread } from "./spread.ts";
import { formatPrice, type StoredTaxGroup } from "./totals.ts";

const en = {
  deposit: (quote: string) => `Deposit on quote ${quote}`,
  deducted: (number: string, day: string) => `Less deposit, invoice ${number} of ${day}`,
};
const nl: typeof en = {
  deposit: (quote) => `Aanbetaling op offerte ${quote}`,
  deducted: (number, day) => `Af: aanbetaling, factuur ${number} van ${day}`,
};
const wordsOf = (locale: string): typeof en => (locale.slice(0, 2).toLowerCase() === "nl" ? nl : en);

/** A share of a total, rounded to the minor unit of its currency (money §10.1). */
export const shareOf = (total: DecimalInput, percent: DecimalInput, currency: string): DecimalText =>
  formatRounded(decimal(total).times(decimal(percent)).dividedBy(100), currency);

/** Whether deposits together are more than the quote's total. */
export const exceedsQuote = (total: DecimalInput, deposits: readonly DecimalInput[]): boolean =>
  sum(deposits).greaterThan(decimal(total));

/** The amounts with tax of a deposit's lines, one for each rate of the quote in order, in proportion to what the rates have with tax. */
export const depositParts = (amount: DecimalInput, groups: readonly StoredTaxGroup[], currency: string): DecimalText[] =>
  spread(
    amount,
    groups.map(({ base, tax }) => decimal(base).plus(decimal(tax))),
    currency,
  );

export const depositText = (quoteNumber: string, locale: string): string => wordsOf(locale).deposit(quoteNumber);

/** What a deposit states for one rate. */
export interface StatedDeposit {
  readonly number: string;
  readonly issue_date: string;
  readonly base: DecimalInput;
  readonly tax: DecimalInput;
}

/**
 * The line by which a final invoice deducts a deposit at one rate: its amount in the final invoice's prices, and the deposit's own tax, so
 * that deposits and final invoice add up to the quote however they were rounded (money §10.1).
 */
export function deductedLine({ number, issue_date, base, tax }: StatedDeposit, pricesIncludeTax: boolean, locale: string) {
  const amount = pricesIncludeTax ? decimal(base).plus(decimal(tax)) : decimal(base);
  return {
    description: wordsOf(locale).deducted(number, issue_date.split("-").reverse().join("-")),
    unit_price: formatPrice(amount.negated()),
    amount: formatDecimal(amount.negated()),
    tax_amount: formatDecimal(decimal(tax).negated()),
  };
}
