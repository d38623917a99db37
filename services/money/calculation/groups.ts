import { roundIn } from "../../../core/values/currencies.ts";
import { type Decimal, type DecimalInput, decimal, sum } from "../../../core/values/money.ts";

export type TaxCategory = "standard" | "reduced" | "zero" | "exempt" | "reverse_charge";

/** The input for the tax of a line. */
export interface TaxedLine {
  /** The line amount as entered: net, or gross where prices include tax. */
  readonly amount: DecimalInput;
  /** Percent: 21 is 21 %. */
  readonly tax_rate_pct: DecimalInput;
  readonly tax_category: TaxCategory;
  /** The tax of a line that deducts a deposit, as the deposit states it; the tax of others follows from their group (money §10.1). */
  readonly tax_amount?: string | null | undefined;
}

/** How the lines of a document are priced. */
export interface Pricing {
  /** Whether entered amounts contain the tax. */
  readonly prices_include_tax: boolean;
  /** ISO 4217; amounts are rounded to its minor unit. */
  readonly currency: string;
}

/** The lines of one rate and category, with their base and tax. */
export interface TaxGroup<Line extends TaxedLine> {
  readonly pct: Decimal;
  readonly category: TaxCategory;
  readonly base: Decimal;
  readonly tax: Decimal;
  readonly lines: readonly Line[];
}

/** The net of a line whose tax is stated. */
export const statedNet = ({ amount, tax_amount }: TaxedLine, pricesIncludeTax: boolean): Decimal =>
  pricesIncludeTax ? decimal(amount).minus(decimal(tax_amount ?? 0)) : decimal(amount);

/** The percentage that a rate adds: 0 for exempt or reverse charge, whatever the nominal rate. */
function addedPct(category: TaxCategory, pct: Decimal): Decimal {
  return category === "exempt" || category === "reverse_charge" ? decimal(0) : pct;
}

/** An amount without its included tax, rounded to the minor unit of its currency. */
export function netOf(amount: DecimalInput, category: TaxCategory, pct: DecimalInput, currency: string): Decimal {
  return roundIn(decimal(amount).dividedBy(addedPct(category, decimal(pct)).dividedBy(100).plus(1)), currency);
}

/**
 * The tax groups of a document's lines, highest percentage first, then by category name. Rounds once per group, never per line (money §3):
 * exclusive, the tax of the sum; inclusive, the base in the sum.
 */
export function groupsOf<Line extends TaxedLine>(lines: readonly Line[], pricing: Pricing): TaxGroup<Line>[] {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    const key = `${decimal(line.tax_rate_pct).toFixed()} ${line.tax_category}`;
    const group = groups.get(key);
    if (group) group.push(line);
    else groups.set(key, [line]);
  }
  return [...groups.values()].map((members) => groupOf(members, pricing)).sort(inOrder);
}

function groupOf<Line extends TaxedLine>(lines: readonly Line[], { prices_include_tax, currency }: Pricing): TaxGroup<Line> {
  const [{ tax_category: category, tax_rate_pct }] = lines as readonly [Line, ...Line[]];
  const pct = decimal(tax_rate_pct);
  const isStated = ({ tax_amount }: Line) => tax_amount !== null && tax_amount !== undefined;
  const entered = sum(lines.flatMap((line) => (isStated(line) ? [] : line.amount)));
  const base = prices_include_tax ? netOf(entered, category, pct, currency) : entered;
  const tax = prices_include_tax ? entered.minus(base) : roundIn(entered.times(addedPct(category, pct)).dividedBy(100), currency);
  const stated = lines.filter(isStated);
  return {
    pct,
    category,
    base: base.plus(sum(stated.map((line) => statedNet(line, prices_include_tax)))),
    tax: tax.plus(sum(stated.map(({ tax_amount }) => tax_amount ?? 0))),
    lines,
  };
}

function inOrder(one: TaxGroup<TaxedLine>, other: TaxGroup<TaxedLine>): number {
  return other.pct.comparedTo(one.pct) || (one.category < other.category ? -1 : 1);
}
