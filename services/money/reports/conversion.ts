/**
 * Whether a document on alias `t` has no amount in the organisation's currency: it is in another one and names no rate (money §2 "Create").
 * Sums leave it out, where 500 dollars counted as 500 euros, and count it.
 * @param currency the parameter that holds the organisation's currency
 */
export const UNCONVERTED = (currency: string): string => `(t.currency <> ${currency}::text and t.exchange_rate is null)`;

/** An amount of a document on alias `t` in the organisation's currency, as SQL; null where there is none. */
export const converted = (amount: string, currency: string): string =>
  `case when not ${UNCONVERTED(currency)} then ${amount} * coalesce(t.exchange_rate, 1) end`;
