import { type Decimal, type DecimalInput, type DecimalText, decimal, formatDecimal, roundHalfUp } from "./money.ts";

/** The active currencies of ISO 4217, including funds codes, without metals and test codes. */
const CURRENCIES = new Set(
  (
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD " +
    "CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP " +
    "GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW " +
    "KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN " +
    "NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD " +
    "SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW " +
    "UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG"
  ).split(" "),
);

/** The decimals of currencies whose minor unit is not a hundredth (ISO 4217, table A.1). */
const DECIMALS = new Map<string, number>([
  ..."BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(" ").map((code) => [code, 0] as const),
  ..."BHD IQD JOD KWD LYD OMR TND".split(" ").map((code) => [code, 3] as const),
  ..."CLF UYW".split(" ").map((code) => [code, 4] as const),
]);

/** Maximum decimals of a stored amount (money §0 "Amounts"). */
const MOST_DECIMALS = 2;

/** The decimals of a currency's minor unit: 2 for EUR, 0 for JPY, 3 for KWD. */
const decimalsOf = (currency: string): number => DECIMALS.get(currency) ?? MOST_DECIMALS;

/** The decimals to which amounts in a currency are rounded: its minor unit, at most 2 (money §0 "Amounts"). */
export const placesOf = (currency: string): number => Math.min(decimalsOf(currency), MOST_DECIMALS);

/** `placesOf` in SQL, for an expression that yields a currency code. */
export const placesSql = (currency: string): string =>
  `(case when ${currency} in (${[...DECIMALS].flatMap(([code, places]) => (places === 0 ? `'${code}'` : [])).join(", ")}) then 0 else 2 end)`;

/** An amount rounded to the minor unit of its currency, a half away from zero. */
export const roundIn = (amount: DecimalInput, currency: string): Decimal => roundHalfUp(amount, placesOf(currency));

/** An amount rounded to the minor unit of its currency, as text with 2 decimals: the form of storage and API (money §0 "Amounts"). */
export const formatRounded = (amount: DecimalInput, currency: string): DecimalText => formatDecimal(roundIn(amount, currency));

/** Whether an amount is a whole number of its currency's minor units: 10.50 is for EUR, not for JPY. */
export const isWholeIn = (amount: DecimalInput, currency: string): boolean =>
  decimal(amount).decimalPlaces() <= placesOf(currency);

/**
 * An amount for people, providers and e-invoices, with the decimals of its currency: `"1210"` JPY, `"12.50"` EUR (money §0 "Amounts").
 * Never rounded: an amount with more decimals, from an older version, keeps them.
 */
export function formatIn(amount: DecimalInput, currency: string): DecimalText {
  const exact = decimal(amount);
  return formatDecimal(exact, Math.max(decimalsOf(currency), exact.decimalPlaces()));
}

/** The currency of a code, ignoring case; null if ISO 4217 lacks it, or it has more than 2 decimals (conventions §15). */
export function currencyOf(code: string): string | null {
  const upper = code.toUpperCase();
  return CURRENCIES.has(upper) && decimalsOf(upper) <= MOST_DECIMALS ? upper : null;
}
