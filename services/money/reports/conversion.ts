/**
 * Whether a document on alias `t` has no amount in the organisation's currency: it is in another currency without a rate (money §2
 * "Create"). Sums count it but leave out its amount; otherwise 500 dollars would count as 500 euros.
 * @param currency the parameter with the organisation's currency
 */
export const UNCONVERTED = (currency: string): string => `(t.currency <> ${currency}::text and t.exchange_rate is null)`;

/** An amount of a document on alias `t` in the organisation's currency, as SQL; null when it cannot be converted. */
export const converted = (amount: string, currency: string): string =>
  `case when not ${UNCONVERTED(currency)} then ${amount} * coalesce(t.exchange_rate, 1) end`;
