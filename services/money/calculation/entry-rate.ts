import { effectiveHourlyRate } from "../../../core/values/hourly-rate.ts";
import { type DecimalText, formatAmount } from "../../../core/values/money.ts";

/** The rates that can price hours. */
export interface Rates {
  /** The worker's rate. */
  readonly own_rate: string | null;
  /** From the people settings. */
  readonly default_rate: string | null;
  /** From the invoicing settings. */
  readonly invoicing_rate: string | null;
}

/** Joins that provide {@link RATE_COLUMNS} for rows of alias `g` with a `user_id`, in the organisation `$1`; one row each. */
export const RATE_JOINS = `left join leave_profiles wp on wp.organisation_id = $1 and wp.user_id = g.user_id
  left join leave_settings ws on ws.organisation_id = $1
  left join invoicing_settings wi on wi.organisation_id = $1`;

/** {@link Rates} for a select list with {@link RATE_JOINS}. */
export const RATE_COLUMNS =
  "wp.hourly_rate as own_rate, ws.default_hourly_rate as default_rate, wi.default_hourly_rate as invoicing_rate";

/**
 * The hourly rate of an entry (money §8 "Rate of an entry"), as text with 2 decimals: the worker's own rate, 0 included, else the rate of
 * the people settings, else of invoicing, else 0.
 */
export const entryRate = ({ own_rate, default_rate, invoicing_rate }: Rates): DecimalText =>
  effectiveHourlyRate(own_rate, default_rate) ?? formatAmount(invoicing_rate ?? 0);
