import { placesOf } from "../../../core/values/currencies.ts";
import { type Decimal, type DecimalInput, type DecimalText, decimal, formatDecimal, sum } from "../../../core/values/money.ts";

/**
 * Spreads an amount over parts in proportion to their weights, in whole minor units that add up to it (largest remainder, the first on a
 * tie). Weights of either sign count; their sum must not be zero.
 * @returns an amount for each weight, text with 2 decimals
 */
export function spread(amount: DecimalInput, weights: readonly DecimalInput[], currency: string): DecimalText[] {
  const unit = decimal(10).pow(-placesOf(currency));
  const units = decimal(amount).dividedBy(unit);
  const whole = sum(weights);
  const exact = weights.map((weight) => units.times(decimal(weight)).dividedBy(whole));
  const floors = exact.map((part) => part.floor());
  const missing = units.minus(sum(floors)).round().toNumber();
  const byRemainder = exact
    .map((part, index) => ({ index, rest: part.minus(floors[index] as Decimal) }))
    .toSorted((one, other) => other.rest.comparedTo(one.rest) || one.index - other.index);
  const raised = new Set(byRemainder.slice(0, missing).map(({ index }) => index));
  return floors.map((part, index) => formatDecimal(part.plus(raised.has(index) ? 1 : 0).times(unit)));
}
