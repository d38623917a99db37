import { request } from "../../../../core/request/context.ts";
import { readSettings } from "../../settings/settings-rows.ts";
import { periodOf, type ReportPeriod } from "../period.ts";
import { taxReport } from "./tax-report.ts";
import { type Basis, turnoverOf } from "./turnover.ts";

/** The country whose return the report fills in, and the currency of that return. */
const RETURN = { country: "NL", currency: "EUR" };

interface Asked extends Partial<ReportPeriod> {
  basis?: Basis | undefined;
}

/** The report of value-added tax, as answered. Two statements. */
export async function reportedTax({ basis = "invoice", ...asked }: Asked) {
  const period = periodOf(asked, "quarter");
  const { currency } = request().organisation;
  const { tax_country: country } = await readSettings();
  const { rows, unconverted_count } = await turnoverOf(period, basis, country);
  const isDutch = country === RETURN.country && currency === RETURN.currency;
  return { ...period, basis, currency, country, ...taxReport(rows, country, isDutch), unconverted_count };
}
export type ReportedTax = Awaited<ReturnType<typeof reportedTax>>;
