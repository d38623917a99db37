import type { AdsAccountRow } from "../../mixins/google-ads/models.ts";

/** The period in a response. */
export interface AnsweredPeriod {
  date_from: string;
  date_to: string;
  days: number;
  token: string | null;
}

/** Formats a customer id with hyphens if it has 10 digits. */
export const formattedCustomerId = (id: string): string =>
  /^\d{10}$/.test(id) ? `${id.slice(0, 3)}-${id.slice(3, 6)}-${id.slice(6)}` : id;

/** An account in a response. */
export const accountBrief = ({ id, customer_id, descriptive_name, company_id }: AdsAccountRow) => ({
  id,
  customer_id,
  customer_id_formatted: formattedCustomerId(customer_id),
  descriptive_name,
  company_id,
});

/** The fields that every report has about the account and the time of the read. @param now an instant */
export const envelope = (account: AdsAccountRow, period: AnsweredPeriod | null, now: string) => ({
  account: accountBrief(account),
  period,
  currency: account.currency_code || null,
  account_timezone: account.time_zone || null,
  fetched_at: now,
});
