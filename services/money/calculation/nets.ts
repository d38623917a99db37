import { type Decimal, type DecimalText, decimal, formatDecimal, sum } from "../../../core/values/money.ts";
import { groupsOf, netOf, type Pricing, statedNet, type TaxedLine } from "./groups.ts";

/**
 * The net of each line, in order, as text with 2 decimals; together they equal the subtotal exactly (money §3 "Net per line"). Where prices
 * include tax, a group's rounding residue goes to its line with the largest net, the first on a tie.
 */
export function netsOf(lines: readonly TaxedLine[], pricing: Pricing): DecimalText[] {
  if (!pricing.prices_include_tax) return lines.map(({ amount }) => formatDecimal(amount));
  const nets = new Map<TaxedLine, Decimal>();
  // Copies, because the same line object can occur twice in a document.
  const own = lines.map((line) => ({ ...line }));
  for (const { base, lines: members } of groupsOf(own, pricing)) {
    const isStated = ({ tax_amount }: TaxedLine) => tax_amount !== null && tax_amount !== undefined;
    const rounded = members.map((line) =>
      isStated(line) ? statedNet(line, true) : netOf(line.amount, line.tax_category, line.tax_rate_pct, pricing.currency),
    );
    const residue = base.minus(sum(rounded));
    const largest = indexOfLargest(rounded.map((net, index) => (isStated(members[index] as TaxedLine) ? decimal(0) : net)));
    members.forEach((line, index) => {
      nets.set(line, index === largest ? (rounded[index] as Decimal).plus(residue) : (rounded[index] as Decimal));
    });
  }
  return own.map((line) => formatDecimal(nets.get(line) ?? decimal(0)));
}

/** The index of the value farthest from zero, the first on a tie. */
function indexOfLargest(values: readonly Decimal[]): number {
  return values.reduce(
    (largest, value, index) => (value.abs().greaterThan((values[largest] as Decimal).abs()) ? index : largest),
    0,
  );
}
