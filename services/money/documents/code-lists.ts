/** Currencies allowed in e-invoices: the active ones of ISO 4217. */
export const CURRENCIES: ReadonlySet<string> = new Set(
  (
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP " +
    "CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS " +
    "INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR " +
    "MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD " +
    "SHP SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UZS VES VND VUV WST XAF XCD XOF " +
    "XPF YER ZAR ZMW"
  ).split(" "),
);

/** Countries allowed in addresses: those of ISO 3166-1, and the code of Northern Ireland. */
const COUNTRIES: ReadonlySet<string> = new Set(
  (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF " +
    "CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH " +
    "GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW " +
    "KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG " +
    "NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN " +
    "SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XI YE " +
    "YT ZA ZM ZW"
  ).split(" "),
);

/** The country code for e-invoices, or null when the text is not one. */
export function countryOf(text: string | null | undefined): string | null {
  const code = (text ?? "").trim().toUpperCase();
  return COUNTRIES.has(code) ? code : null;
}

/**
 * A VAT number in capitals without spaces and signs, prefixed with its country code (EN 16931 BR-CO-09; EL for Greece). Null when nothing
 * is left, or when neither the number nor the address names a country.
 */
export function vatNumberOf(text: string | null | undefined, country: string | null): string | null {
  const bare = (text ?? "").toUpperCase().replace(/[^A-Z0-9]/g, "");
  if (bare === "") return null;
  const prefix = bare.slice(0, 2);
  if (bare.length > 2 && (prefix === "EL" || COUNTRIES.has(prefix))) return prefix === "GR" ? `EL${bare.slice(2)}` : bare;
  return country && (country === "GR" ? "EL" : country) + bare;
}
