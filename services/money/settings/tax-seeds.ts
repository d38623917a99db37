import type { DecimalText } from "../../../core/values/money.ts";
import type { TaxCategory } from "../calculation/groups.ts";
import type { Labels } from "./models.ts";

/** A tax rate of a new catalogue. */
export interface SeededRate {
  readonly label_i18n: Labels;
  /** Percentage, 2 decimals. */
  readonly rate: DecimalText;
  readonly category: TaxCategory;
  readonly country: string;
  readonly is_default: boolean;
  readonly position: number;
}

type Seed = readonly [rate: DecimalText, category: TaxCategory];

/** The percentages of a country, the standard one first; `0` is a separate zero rate (money §1). */
const RATES: Readonly<Record<string, readonly string[]>> = {
  NL: ["21", "9", "0"],
  BE: ["21", "12", "6", "0"],
  DE: ["19", "7", "0"],
  FR: ["20", "10", "5.5", "2.1"],
  ES: ["21", "10", "4"],
  IT: ["22", "10", "5", "4"],
  AT: ["20", "13", "10"],
  GB: ["20", "5", "0"],
  CH: ["8.1", "3.8", "2.6"],
};

const UNTAXED: readonly Seed[] = [
  ["0.00", "exempt"],
  ["0.00", "reverse_charge"],
];

const twoDecimals = (rate: string): DecimalText => Number(rate).toFixed(2);

function seedsOf(country: string): readonly Seed[] {
  if (country === "US")
    return [
      ["0.00", "zero"],
      ["0.00", "exempt"],
    ];
  const rates = RATES[country];
  if (!rates) return [["0.00", "standard"], ["0.00", "zero"], ...UNTAXED];
  const taxed = rates.map((rate, index): Seed => {
    return [twoDecimals(rate), index === 0 ? "standard" : rate === "0" ? "zero" : "reduced"];
  });
  return [...taxed, ...UNTAXED];
}

const LABELS: Readonly<Record<TaxCategory, (percentage: string) => Labels>> = {
  standard: (percentage) => ({ nl: `${percentage}% btw`, en: `${percentage}% VAT` }),
  reduced: (percentage) => ({ nl: `${percentage}% btw`, en: `${percentage}% VAT` }),
  zero: () => ({ nl: "0% btw", en: "0% VAT" }),
  exempt: () => ({ nl: "Vrijgesteld van btw", en: "Exempt from VAT" }),
  reverse_charge: () => ({ nl: "Btw verlegd", en: "VAT reverse charged" }),
};

/** Labels for countries with a sales tax instead of VAT. */
const SALES_TAX: Partial<Record<TaxCategory, Labels>> = {
  zero: { nl: "Geen belasting", en: "No sales tax" },
  exempt: { nl: "Vrijgesteld van belasting", en: "Exempt from sales tax" },
};

/**
 * The rates that fill an empty catalogue, in order; the first is the default (money §1). Every country except the United States also has
 * exempt and reverse charge; other positive rates are `reduced`.
 * @param country two upper-case letters
 */
export function seededRates(country: string): SeededRate[] {
  return seedsOf(country).map(([rate, category], index) => ({
    label_i18n: (country === "US" ? SALES_TAX[category] : undefined) ?? LABELS[category](String(Number(rate))),
    rate,
    category,
    country,
    is_default: index === 0,
    position: (index + 1) * 10,
  }));
}
