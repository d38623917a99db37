import {
  Decimal,
  type DecimalInput,
  type DecimalText,
  decimal,
  formatDecimal,
  roundHalfUp,
} from "../../../../core/values/money.ts";

/** The table of the Besluit vergoeding voor buitengerechtelijke incassokosten, art. 2: percent of each part of the principal. */
const TABLE = [
  { most: "2500", percent: "15" },
  { most: "5000", percent: "10" },
  { most: "10000", percent: "5" },
  { most: "200000", percent: "1" },
  { most: null, percent: "0.5" },
] as const;
const LEAST = 40;
const MOST = 6775;

/**
 * Statutory collection costs of a principal in euros: by the table, at least 40.00 (directive 2011/7/EU, art. 6; art. 6:96 lid 4 BW) and at
 * most 6775.00; nothing without a principal.
 */
export function collectionCosts(principal: DecimalInput): DecimalText {
  const owed = decimal(principal);
  if (!owed.greaterThan(0)) return "0.00";
  let [costs, below] = [decimal(0), decimal(0)];
  for (const { most, percent } of TABLE) {
    const end = most !== null && owed.greaterThan(most) ? decimal(most) : owed;
    costs = costs.plus(end.minus(below).times(percent).dividedBy(100));
    below = end;
  }
  return formatDecimal(Decimal.max(LEAST, Decimal.min(MOST, roundHalfUp(costs))));
}
