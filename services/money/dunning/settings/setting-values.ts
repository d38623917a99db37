import { invalid } from "../../../../core/errors/errors.ts";
import { formatAmount } from "../../../../core/values/money.ts";
import type { DunningLevel } from "../rules/levels.ts";
import { hasKnownPlaceholders } from "../rules/placeholders.ts";
import type { InterestRate } from "../rules/rates.ts";
import type { SentDunning } from "./setting-schemas.ts";
import type { DunningValues } from "./settings-rows.ts";

const IS_LANGUAGE = /^[a-z]{2}$/;

const isAscending = (days: readonly number[]): boolean => days.every((day, index) => index === 0 || day > (days[index - 1] ?? 0));

function levelsOf(sent: NonNullable<SentDunning["levels"]>): DunningLevel[] {
  if (!isAscending(sent.map(({ days }) => days))) throw invalid({ levels: "errors.dunning.levels_order" });
  return sent.map(({ days, pay_within = 7, texts = [], fee = 0, interest = false, costs = false }) => {
    if (!texts.every(({ language }) => IS_LANGUAGE.test(language))) throw invalid({ levels: "errors.validation" });
    if (new Set(texts.map(({ language }) => language)).size < texts.length) throw invalid({ levels: "errors.duplicate" });
    if (texts.some(({ subject, body }) => !hasKnownPlaceholders(subject) || !hasKnownPlaceholders(body)))
      throw invalid({ levels: "errors.dunning.unknown_placeholder" });
    return { days, pay_within, texts, fee: formatAmount(fee), interest, costs };
  });
}

function ratesOf(sent: NonNullable<SentDunning["rates"]>): InterestRate[] {
  if (new Set(sent.map(({ from }) => from)).size < sent.length) throw invalid({ rates: "errors.duplicate" });
  return sent
    .map(({ from, business, consumer }) => ({ from, business: formatAmount(business), consumer: formatAmount(consumer) }))
    .toSorted((one, other) => (one.from < other.from ? -1 : 1));
}

/**
 * The settings to store. @throws 422 on `levels` whose days do not ascend or whose texts name unknown values or a
 * language twice, and on `rates` with a day
 * twice
 */
export const dunningValues = (stored: DunningValues, { enabled, levels, rates }: SentDunning): DunningValues => ({
  enabled: enabled ?? stored.enabled,
  levels: levels ? levelsOf(levels) : stored.levels,
  rates: rates ? ratesOf(rates) : stored.rates,
});
