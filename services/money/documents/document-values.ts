import { invalid } from "../../../core/errors/errors.ts";
import { currencyOf } from "../../../core/values/currencies.ts";
import { isLocale } from "../../../core/values/locales.ts";
import { type DecimalInput, type DecimalText, decimal, formatDecimal } from "../../../core/values/money.ts";
import { blankToNull, withoutHtml } from "../../../core/values/text.ts";

/** The sent fields of a document, without parties, lines and dates; undefined means "not sent". */
export interface SentDocument {
  currency?: string | null | undefined;
  exchange_rate?: DecimalInput | null | undefined;
  locale?: string | null | undefined;
  reference?: string | null | undefined;
  intro?: string | null | undefined;
  notes?: string | null | undefined;
}

/** The same fields as stored. */
export interface DocumentTexts {
  currency?: string | undefined;
  exchange_rate?: DecimalText | null | undefined;
  locale?: string | undefined;
  reference?: string | null | undefined;
  intro?: string | null | undefined;
  notes?: string | null | undefined;
}

const RATE_PLACES = 6;
const RATE_LIMIT = 1e10;

const markdown = (text: string | null | undefined): string | null | undefined =>
  text === null || text === undefined ? text : blankToNull(withoutHtml(text));

/**
 * The stored fields of a document (money §2 "Create"): currencies in upper case, rates with 6 decimals, intro and notes without raw HTML. A
 * null currency or locale counts as not sent.
 * @throws 422 `currency: errors.invoicing.invalid_currency`, `exchange_rate`, `locale`
 */
export function documentTexts({ currency, exchange_rate, locale, reference, intro, notes }: SentDocument): DocumentTexts {
  const refused: Record<string, string> = {};
  const known = currency ? currencyOf(currency) : undefined;
  if (known === null) refused["currency"] = "errors.invoicing.invalid_currency";
  const rate = exchange_rate === null || exchange_rate === undefined ? exchange_rate : decimal(exchange_rate);
  if (rate && !(rate.greaterThan(0) && rate.lessThan(RATE_LIMIT) && rate.decimalPlaces() <= RATE_PLACES))
    refused["exchange_rate"] = "errors.validation";
  if (typeof locale === "string" && !isLocale(locale)) refused["locale"] = "errors.validation";
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return {
    currency: known ?? undefined,
    exchange_rate: rate ? formatDecimal(rate, RATE_PLACES) : rate,
    locale: locale ?? undefined,
    reference: reference === undefined ? undefined : (blankToNull(reference)?.trim() ?? null),
    intro: markdown(intro),
    notes: markdown(notes),
  };
}
