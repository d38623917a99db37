import { type Decimal, type DecimalInput, decimal, sum } from "../../../../core/values/money.ts";
import type { TaxCategory } from "../../calculation/groups.ts";
import { groupsOf, type Pricing } from "../../calculation/groups.ts";
import type { TotalledLine } from "../../calculation/totals.ts";

/** Categories of UNCL 5305: standard, zero rated, exempt, reverse charge. */
export type UblCategory = "S" | "Z" | "E" | "AE";

/** A category with the percentage it adds; only S adds one (money §15). */
export interface RatedCategory {
  readonly category: UblCategory;
  readonly percent: Decimal;
}

/** The tax of a document in one category at one percentage. */
export interface TaxSubtotal extends RatedCategory {
  readonly base: Decimal;
  readonly tax: Decimal;
  /** The reason for no tax, for E and AE. */
  readonly reason: string | null;
}

/** Default reasons for no tax, when no tax group of the document names one. */
const REASONS = { E: "Exempt from tax", AE: "Reverse charge" } as const;

/** The UBL category of a rate (money §15): a rate of 0 % is zero rated whatever its name, unless it is exempt or reverse charge. */
export function ublCategory(category: TaxCategory, pct: DecimalInput): RatedCategory {
  const percent = decimal(pct);
  if (category === "exempt") return { category: "E", percent: decimal(0) };
  if (category === "reverse_charge") return { category: "AE", percent: decimal(0) };
  return { category: percent.isZero() ? "Z" : "S", percent };
}

/** The tax groups of a document's lines by UBL category and percentage; merged groups are added, never rounded again (money §15). */
export function taxSubtotals(document: Pricing & { readonly lines: readonly TotalledLine[] }): TaxSubtotal[] {
  const subtotals = new Map<string, TaxSubtotal>();
  for (const { category: own, pct, base, tax, lines: members } of groupsOf(document.lines, document)) {
    const { category, percent } = ublCategory(own, pct);
    const key = `${category} ${percent.toFixed()}`;
    const before = subtotals.get(key);
    const name = members.find(({ tax_name }) => tax_name.trim() !== "")?.tax_name.trim() ?? null;
    subtotals.set(key, {
      category,
      percent,
      base: sum([before?.base ?? 0, base]),
      tax: sum([before?.tax ?? 0, tax]),
      reason: category === "E" || category === "AE" ? (before?.reason ?? name) : null,
    });
  }
  return [...subtotals.values()].map((one) =>
    one.category === "E" || one.category === "AE" ? { ...one, reason: one.reason ?? REASONS[one.category] } : one,
  );
}
