import { type DecimalInput, type DecimalText, formatAmount } from "./money.ts";

/**
 * The effective hourly rate, as an amount with 2 decimals: the person's own (0 counts as a rate), otherwise the organisation's, otherwise
 * null (people chapter §4 "Rates", work chapter §4.5).
 */
export function effectiveHourlyRate(own: DecimalInput | null, organisation: DecimalInput | null): DecimalText | null {
  const rate = own ?? organisation;
  return rate === null ? null : formatAmount(rate);
}
