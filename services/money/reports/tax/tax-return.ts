import { type Decimal, type DecimalText, decimal, formatDecimal, sum } from "../../../../core/values/money.ts";
import type { TaxCategory } from "../../calculation/groups.ts";
import { ublCategory } from "../../documents/e-invoices/categories.ts";
import { type Territory, territoryOf } from "./territory.ts";

/** The rubrics of the Dutch VAT return, in its order. */
export const RUBRICS = [
  ...["1a", "1b", "1c", "1d", "1e", "2a", "3a", "3b", "3c", "4a", "4b"],
  ...["5a", "5b", "5c", "5d", "5e", "5f", "5g"],
] as const;
export type Rubric = (typeof RUBRICS)[number];

/** Why a rubric has no amounts. */
export const MISSING = ["not_recorded", "purchases_not_recorded", "not_told_apart", "depends_on_purchases"] as const;
export type Missing = (typeof MISSING)[number];

/** The amounts of a rate or rubric, in the organisation's currency. */
export interface Turnover {
  readonly category: TaxCategory;
  readonly rate_pct: string;
  /** The client's country, as a code. */
  readonly country: string;
  readonly base: string;
  readonly tax: string;
}

/** A rubric of the return: exact, and in the whole euros of the form; all null with the reason where it has none. */
export interface RubricAmounts {
  code: Rubric;
  base: DecimalText | null;
  tax: DecimalText | null;
  base_euros: number | null;
  tax_euros: number | null;
  missing: Missing | null;
}

/** Dutch rates with a rubric of their own. */
const OF_RATE: Readonly<Record<string, Rubric>> = { "21": "1a", "9": "1b" };
/** Rubrics of turnover without tax. */
const UNTAXED: Readonly<Record<Territory, Rubric>> = { domestic: "1e", eu: "3b", outside_eu: "3a" };
/** Rubrics that have a tax next to their turnover. */
const TAXED: ReadonlySet<Rubric> = new Set(["1a", "1b", "1c"]);

const WITHOUT: Readonly<Partial<Record<Rubric, Missing>>> = {
  "1d": "not_recorded",
  "2a": "purchases_not_recorded",
  "3c": "not_told_apart",
  "4a": "purchases_not_recorded",
  "4b": "purchases_not_recorded",
  "5b": "purchases_not_recorded",
  "5c": "depends_on_purchases",
  "5d": "not_recorded",
  "5e": "not_recorded",
  "5f": "not_recorded",
  "5g": "depends_on_purchases",
};

/** The rubric of a turnover in the Dutch return; null for exempt turnover, which the return does not ask for. */
export function rubricOf({ category, rate_pct, country }: Omit<Turnover, "base" | "tax">): Rubric | null {
  if (category === "exempt") return null;
  const { category: taxed, percent } = ublCategory(category, rate_pct);
  return taxed === "S" ? (OF_RATE[percent.toFixed()] ?? "1c") : UNTAXED[territoryOf(country, "NL")];
}

/**
 * Whole euros as the return takes them: rounded down, which is in favour of who files it, as the tax administration allows. Below zero too:
 * −10.50 is −11.
 */
export const wholeEuros = (amount: Decimal): number => amount.floor().toNumber();

/**
 * The rubrics of the Dutch VAT return, of sales alone: what the service does not know is null, with the reason. 5a adds the whole euros of
 * the rubrics above it that are known.
 */
export function taxReturn(turnover: readonly Turnover[]): RubricAmounts[] {
  const of = Map.groupBy(turnover, rubricOf);
  const known = (code: Rubric): RubricAmounts => {
    const rows = of.get(code) ?? [];
    const [base, tax] = [sum(rows.map((row) => row.base)), sum(rows.map((row) => row.tax))];
    const amounts = { code, base: formatDecimal(base), base_euros: wholeEuros(base), missing: null };
    return TAXED.has(code)
      ? { ...amounts, tax: formatDecimal(tax), tax_euros: wholeEuros(tax) }
      : { ...amounts, tax: null, tax_euros: null };
  };
  const listed: RubricAmounts[] = [];
  for (const code of RUBRICS) {
    const missing = WITHOUT[code];
    if (missing) listed.push({ code, base: null, tax: null, base_euros: null, tax_euros: null, missing });
    else if (code === "5a") listed.push(owed(listed));
    else listed.push(known(code));
  }
  return listed;
}

function owed(above: readonly RubricAmounts[]): RubricAmounts {
  const tax = sum(above.map((one) => one.tax ?? 0));
  const tax_euros = above.reduce((total, one) => total + (one.tax_euros ?? 0), 0);
  return { code: "5a", base: null, base_euros: null, tax: formatDecimal(decimal(tax)), tax_euros, missing: null };
}
