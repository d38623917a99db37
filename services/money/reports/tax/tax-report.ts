import { type DecimalText, formatDecimal, sum } from "../../../../core/values/money.ts";
import { ublCategory } from "../../documents/e-invoices/categories.ts";
import { type RubricAmounts, type Turnover, taxReturn, wholeEuros } from "./tax-return.ts";
import { countryOf, territoryOf } from "./territory.ts";

/** The turnover of one rate, of one client where it matters who that is: untaxed and abroad. */
export interface ClientTurnover extends Turnover {
  readonly vat_number: string | null;
  readonly company_id: string | null;
  readonly client: string | null;
  /** What credit notes and cancellations took off, as amounts above zero. */
  readonly credited_base: string;
  readonly credited_tax: string;
}

interface Amounts {
  base: DecimalText;
  tax: DecimalText;
  credited_base: DecimalText;
  credited_tax: DecimalText;
}
/** A line of the list of supplies within the European Union. */
export interface EuSupply {
  vat_number: string | null;
  country: string;
  company_id: string | null;
  client: string | null;
  base: DecimalText;
  base_whole: number;
}

export interface TaxReport {
  rates: (Amounts & Pick<ClientTurnover, "category" | "rate_pct">)[];
  eu_supplies: EuSupply[];
  outside_eu: { country: string; base: DecimalText }[];
  totals: Amounts;
  rubrics: RubricAmounts[] | null;
}

const amountsOf = (rows: readonly ClientTurnover[]): Amounts => ({
  base: formatDecimal(sum(rows.map(({ base }) => base))),
  tax: formatDecimal(sum(rows.map(({ tax }) => tax))),
  credited_base: formatDecimal(sum(rows.map(({ credited_base }) => credited_base))),
  credited_tax: formatDecimal(sum(rows.map(({ credited_tax }) => credited_tax))),
});

/** Whether turnover was without tax because the client owes it, or no one does: neither taxed nor exempt. */
const isShifted = ({ category, rate_pct }: Turnover): boolean => !["S", "E"].includes(ublCategory(category, rate_pct).category);

/** One line per VAT number; clients without one have a line each, so that it shows what is missing. */
function euSupplies(rows: readonly ClientTurnover[]): EuSupply[] {
  const lines = [...Map.groupBy(rows, ({ vat_number, company_id }) => vat_number ?? `client ${company_id}`).values()];
  return lines
    .map((members) => {
      const { vat_number, country, company_id, client } = members[0] as ClientTurnover;
      const base = sum(members.map((row) => row.base));
      return {
        vat_number,
        country: countryOf(country),
        company_id,
        client,
        base: formatDecimal(base),
        base_whole: wholeEuros(base),
      };
    })
    .sort((one, other) => order(one.vat_number, other.vat_number) || order(one.client, other.client));
}

/** By text; what has none comes first. */
const order = (one: string | null, other: string | null): number => ((one ?? "") < (other ?? "") ? -1 : Number(one !== other));

/**
 * The report of value-added tax over the turnover of a period (money, "Reports").
 * @param home the seller's country
 * @param isDutch whether it files the Dutch return: it is in the Netherlands and keeps its books in euros
 */
export function taxReport(rows: readonly ClientTurnover[], home: string, isDutch: boolean): TaxReport {
  const shifted = Map.groupBy(rows.filter(isShifted), ({ country }) => territoryOf(country, home));
  const outside = Map.groupBy(shifted.get("outside_eu") ?? [], ({ country }) => countryOf(country));
  return {
    rates: [...Map.groupBy(rows, ({ category, rate_pct }) => `${rate_pct} ${category}`).values()]
      .map((members) => {
        const { category, rate_pct } = members[0] as ClientTurnover;
        return { category, rate_pct, ...amountsOf(members) };
      })
      .sort((one, other) => Number(other.rate_pct) - Number(one.rate_pct) || order(one.category, other.category)),
    eu_supplies: euSupplies(shifted.get("eu") ?? []),
    outside_eu: [...outside]
      .map(([country, members]) => ({ country, base: amountsOf(members).base }))
      .sort((one, other) => order(one.country, other.country)),
    totals: amountsOf(rows),
    rubrics: isDutch ? taxReturn(rows) : null,
  };
}
