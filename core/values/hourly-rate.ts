import { type DecimalInput, type DecimalText, formatAmount } from "./money.ts";

/**
 * The hourly rate that counts, as an amount with 2 decimals: the person's own (0 is a rate, not a gap), else the organisation's, else
 * none (people chapter §4 "Rates", work chapter §4.5).
 */
export function effectiveHourlyRate(own: DecimalInput | null, organisation: DecimalInput | null): DecimalText | null {
  const rate = own ?? organisation;
  return rate === null ? null : formatAmount(rate);
}
