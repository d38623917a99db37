import { type Decimal, type DecimalText, decimal, formatDecimal, sum } from "../../../core/values/money.ts";
import { groupsOf, netOf, type Pricing, type TaxedLine } from "./groups.ts";

/**
 * The net of each line, in their order, as text with 2 decimals; together they are the subtotal exactly (money §3 "Net per line").
 * Where prices include tax, what rounding leaves over in a group goes onto its line with the largest net, the first on a tie.
 */
export function netsOf(lines: readonly TaxedLine[], pricing: Pricing): DecimalText[] {
  if (!pricing.prices_include_tax) return lines.map(({ amount }) => formatDecimal(amount));
  const nets = new Map<TaxedLine, Decimal>();
  // Lines of their own: the same object may stand in a document twice.
  const own = lines.map((line) => ({ ...line }));
  for (const { base, lines: members } of groupsOf(own, pricing)) {
    const rounded = members.map(({ amount, tax_category, tax_rate_pct }) =>
      netOf(amount, tax_category, tax_rate_pct, pricing.currency),
    );
    const residue = base.minus(sum(rounded));
    const largest = indexOfLargest(rounded);
    members.forEach((line, index) => {
      nets.set(line, index === largest ? (rounded[index] as Decimal).plus(residue) : (rounded[index] as Decimal));
    });
  }
  return own.map((line) => formatDecimal(nets.get(line) ?? decimal(0)));
}

/** The place of the value farthest from zero, the first among equals. */
function indexOfLargest(values: readonly Decimal[]): number {
  return values.reduce(
    (largest, value, index) => (value.abs().greaterThan((values[largest] as Decimal).abs()) ? index : largest),
    0,
  );
}
