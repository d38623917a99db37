import { invalid } from "../../core/errors/errors.ts";
import { isLocale } from "../../core/values/locales.ts";

/** @throws 422 for a text that is not a language tag */
export function requireLocale(field: string, locale: string): void {
  if (!isLocale(locale)) throw invalid({ [field]: "errors.validation" });
}
