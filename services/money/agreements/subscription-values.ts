import { nextBoundary, periodMonths } from "../../../core/calendar/periods.ts";
import { type CustomDefinition, readCustomValues } from "../../../core/custom-fields/values.ts";
import type { UpdateOf } from "../../../core/database/model.ts";
import { withoutBlanks } from "../../../core/database/write.ts";
import { invalid } from "../../../core/errors/errors.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { currencyOf } from "../../../core/values/currencies.ts";
import { decimal, formatAmount, roundHalfUp, sum } from "../../../core/values/money.ts";
import { withoutHtml } from "../../../core/values/text.ts";
import { AMOUNT_LIMIT, formatPrice, isWithin } from "../calculation/totals.ts";
import { type AgreementLine, type Rollover, Subscription, type SubscriptionRow, type SubscriptionTemplate } from "./models.ts";
import type { SubscriptionCreate, SubscriptionUpdate, TermsSent } from "./subscription-schemas.ts";

/** No hours carry over. */
const NO_ROLLOVER: Rollover = { mode: "none", expires_after_periods: null };

type Refused = Record<string, string>;

/** Lines as stored: exact texts, quantity 1 unless sent. */
const linesOf = (sent: NonNullable<TermsSent["lines"]>): AgreementLine[] =>
  sent.map(({ description, quantity = 1, unit_amount }) => ({
    description: description.trim(),
    quantity: formatPrice(quantity),
    unit_amount: formatPrice(unit_amount),
  }));

/** Whether a document can bill the lines of a period: each amount and their sum stay below the limit of amounts (money §0 "Amounts"). */
function isBillable(lines: readonly AgreementLine[]): boolean {
  const amounts = lines.map(({ quantity, unit_amount }) => decimal(quantity).times(decimal(unit_amount)));
  // No amount is negative, so their sum bounds each.
  return isWithin(roundHalfUp(sum(amounts)), AMOUNT_LIMIT);
}

function rolloverOf({ mode, expires_after_periods: periods = null }: NonNullable<TermsSent["rollover"]>): Rollover {
  return mode === "none" ? NO_ROLLOVER : { mode, expires_after_periods: periods };
}

/**
 * The stored terms of an agreement or a preset; contains only sent fields (money §9 "Fields").
 * @param refused receives a key per field that breaks a rule
 */
export function termsValues(sent: TermsSent, refused: Refused): UpdateOf<typeof SubscriptionTemplate> {
  const { currency, included_hours: hours, rollover, lines, interval, interval_count, notice_period_days } = sent;
  const type = sent.subscription_type_id;
  const named = currency === undefined ? undefined : currencyOf(currency);
  if (named === null) refused["currency"] = "errors.invoicing.invalid_currency";
  const stored = linesOf(lines ?? []);
  if (stored.some(({ description }) => description === "")) refused["description"] = "errors.validation";
  if (!isBillable(stored)) refused["lines"] = "errors.validation";
  return {
    currency: named ?? undefined,
    interval,
    interval_count,
    notice_period_days,
    included_hours: hours === undefined || hours === null ? hours : formatAmount(hours),
    rollover: rollover === undefined ? undefined : rollover === null ? NO_ROLLOVER : rolloverOf(rollover),
    subscription_type_id: type === undefined || type === null ? type : type.toLowerCase(),
    lines: lines === undefined ? undefined : stored,
  };
}

/**
 * The stored values of an agreement's create or update, without price and links.
 * @param sent the validated body; the result contains only its keys
 * @param isNew a new agreement is checked against the custom fields even without values
 * @param definitions the active custom fields of agreements
 * @throws 422 naming every field that breaks a rule
 */
export function subscriptionValues(
  sent: Partial<Static<typeof SubscriptionCreate>> | Static<typeof SubscriptionUpdate>,
  isNew: boolean,
  definitions: readonly CustomDefinition[],
): UpdateOf<typeof Subscription> {
  const { company_id, name, status, start_date, end_date, next_invoice_date, anchor, auto_invoice_mode, notes, custom } = sent;
  const template = sent.subscription_template_id;
  const refused: Refused = {};
  const values: UpdateOf<typeof Subscription> = {
    ...termsValues(sent, refused),
    company_id: company_id?.toLowerCase(),
    name: name?.trim(),
    status,
    start_date,
    end_date,
    next_invoice_date,
    anchor,
    auto_invoice_mode,
    subscription_template_id: template === undefined || template === null ? template : template.toLowerCase(),
    notes: typeof notes === "string" ? withoutHtml(notes) : notes,
  };
  if (values.name === "") refused["name"] = "errors.validation";
  const read = isNew || custom !== undefined ? readCustomValues(custom ?? {}, definitions) : null;
  Object.assign(refused, read?.refused);
  if (read && custom !== undefined) values.custom = read.values;
  if (Object.keys(refused).length > 0) throw invalid(refused);
  const own = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  return withoutBlanks(Subscription, own);
}

type Activated = Pick<
  SubscriptionRow,
  "status" | "activated_at" | "start_date" | "end_date" | "next_invoice_date" | "anchor" | "interval" | "interval_count"
>;

/**
 * The values that the first activation sets; null unless the agreement is active now for the first time. Without a given first boundary, it
 * is one period after the start, unless that is past the end (money §9 "First activation").
 */
export function firstActivation(agreement: Activated): Pick<SubscriptionRow, "next_invoice_date"> | null {
  const { status, activated_at, start_date, end_date, next_invoice_date, anchor, interval, interval_count } = agreement;
  if (status !== "active" || activated_at !== null) return null;
  const months = periodMonths(interval, interval_count);
  return { next_invoice_date: next_invoice_date ?? nextBoundary(start_date, months, end_date, anchor) };
}
