import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  input,
  instant,
  integer,
  json,
  label,
  line,
  list,
  multiline,
  names,
  neverNull,
  nullable,
  optional,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
  uuid,
} from "../../../core/declare/schema.ts";
import { PRICE_PLACES } from "../calculation/totals.ts";

export const SUBSCRIPTION_STATUSES = ["draft", "active", "paused", "cancelled"] as const;
export const INTERVALS = ["monthly", "quarterly", "yearly"] as const;
export const LEVELS = ["off", "draft", "issue", "send"] as const;

/** The lines of an agreement fit on one document (money §2). */
const MOST_LINES = 200;
/** The most projects, and the most tasks, of one agreement (decision). */
const MOST_LINKS = 200;
/** The largest amount and the largest quantity (money §0 "Amounts"). */
const MOST_AMOUNT = 9_999_999_999.99;
const MOST_QUANTITY = 99_999_999.99;
/** Quantities and prices of lines are kept as they are sent. */
const PRICED = { minimum: 0, decimalPlaces: PRICE_PLACES, description: "Up to 4 decimals, kept as sent." };

export const status = (options: Record<string, unknown> = {}) =>
  choice(SUBSCRIPTION_STATUSES, { $id: "SubscriptionStatus", "x-usage": "both", ...options });
const interval = (options: Record<string, unknown> = {}) =>
  choice(INTERVALS, { $id: "SubscriptionInterval", "x-usage": "both", ...options });
const anchor = () =>
  nullable(
    choice(["month_end"], {
      description:
        "`month_end`: every boundary that follows is the last day of its month, as 31 January, 28 February, 31 March. Null: the day of the boundary before, where a month's shorter end sticks.",
    }),
  );
/** What becomes of a period that is due. */
export const level = () => choice(LEVELS, { $id: "AutoInvoiceMode", "x-usage": "both" });
export const amount = () => decimalInput({ minimum: 0, maximum: MOST_AMOUNT, decimalPlaces: 2 });

const Rollover = Type.Object(
  { mode: choice(["none", "carry"]), expires_after_periods: nullable(integer(1)) },
  { $id: "SubscriptionRollover", "x-usage": "response" },
);
const RolloverWrite = input("SubscriptionRolloverWrite", {
  mode: choice(["none", "carry"]),
  expires_after_periods: optional(nullable(integer(1))),
});

const LineRead = answer("SubscriptionLine", { description: label(512), quantity: decimal(), unit_amount: decimal() });
const LineWrite = input("SubscriptionLineWrite", {
  description: label(512),
  quantity: optional(decimalInput({ ...PRICED, maximum: MOST_QUANTITY })),
  unit_amount: decimalInput({ ...PRICED, maximum: MOST_AMOUNT }),
});

/** What an agreement and a preset of it have in common, as it is answered. */
export const terms = {
  currency: line({ minLength: 3, maxLength: 3 }),
  interval: interval(),
  interval_count: integer(1, 12),
  included_hours: nullable(decimal()),
  rollover: Rollover,
  notice_period_days: nullable(integer(0, 365)),
  subscription_type_id: nullable(uuid()),
  lines: list(LineRead),
} satisfies TProperties;

const hours = () => nullable(decimalInput({ minimum: 0, maximum: MOST_QUANTITY, decimalPlaces: 2 }));
const currency = (options: Record<string, unknown> = {}) => line({ minLength: 3, maxLength: 3, ...options });
const lines = () => Type.Array(LineWrite, { maxItems: MOST_LINES });

/** The same as it is sent; an agreement takes what it leaves out from its preset. */
export const termsSent = {
  currency: optional(currency()),
  interval: optional(interval()),
  interval_count: optional(integer(1, 12)),
  included_hours: optional(hours()),
  rollover: optional(nullable(RolloverWrite)),
  notice_period_days: optional(nullable(integer(0, 365))),
  subscription_type_id: optional(nullable(uuid())),
  lines: optional(nullable(lines())),
} satisfies TProperties;

/** Terms as a body sends them. */
export type TermsSent = Partial<Static<TObject<typeof termsSent>>>;

const given = <T extends TSchema>(schema: T) => optional(neverNull(nullable(schema)));

/** The same as an update has it; without lines of its own a period has one. */
export const termsChanged = {
  ...termsSent,
  currency: given(currency()),
  interval: given(choice(INTERVALS)),
  interval_count: given(integer(1, 12)),
} satisfies TProperties;

/** What may be empty in a body, beside the terms. */
const details = {
  end_date: optional(nullable(date())),
  next_invoice_date: optional(nullable(date())),
  anchor: optional(anchor()),
  auto_invoice_mode: optional(nullable(choice(LEVELS))),
  subscription_template_id: optional(nullable(uuid())),
  notes: optional(nullable(multiline())),
  project_ids: optional(nullable(Type.Array(uuid(), { maxItems: MOST_LINKS }))),
  task_ids: optional(nullable(Type.Array(uuid(), { maxItems: MOST_LINKS }))),
  custom: optional(nullable(json())),
} satisfies TProperties;

export const SubscriptionCreate = input("SubscriptionCreate", {
  company_id: uuid(),
  name: label(255),
  amount: amount(),
  start_date: date(),
  status: optional(status({ default: "active" })),
  ...termsSent,
  ...details,
});

export const SubscriptionUpdate = input("SubscriptionUpdate", {
  company_id: given(uuid()),
  name: given(label(255)),
  amount: given(amount()),
  amount_valid_from: optional(nullable(date())),
  start_date: given(date()),
  status: given(choice(SUBSCRIPTION_STATUSES)),
  ...termsChanged,
  ...details,
});

export const SubscriptionRead = answer("SubscriptionRead", {
  id: uuid(),
  org_id: uuid(),
  company_id: uuid(),
  company_name: Type.String(),
  name: label(255),
  status: status(),
  start_date: date(),
  end_date: nullable(date()),
  next_invoice_date: nullable(date()),
  anchor: anchor(),
  // The price that counts today, and what it comes to a month.
  amount: decimal(),
  monthly_equivalent: decimal(),
  // Null follows the organisation.
  auto_invoice_mode: nullable(level()),
  ...terms,
  subscription_type_label: nullable(names()),
  subscription_template_id: nullable(uuid()),
  subscription_template_name: nullable(Type.String()),
  project_ids: list(uuid()),
  task_ids: list(uuid()),
  notes: nullable(Type.String()),
  custom: json(),
  activated_at: nullable(instant()),
  created_at: instant(),
  updated_at: instant(),
});

export const SubscriptionPriceRead = answer("SubscriptionPriceRead", {
  valid_from: date(),
  amount: decimal(),
  created_at: instant(),
  updated_at: instant(),
});

const SubscriptionCurrencyTotal = answer("SubscriptionCurrencyTotal", {
  currency: Type.String(),
  count: Type.Integer(),
  mrr: decimal(),
  arr: decimal(),
});

export const SubscriptionSummary = answer("SubscriptionSummary", {
  mrr: decimal({ description: "A month of the active agreements in the organisation's currency" }),
  arr: decimal({ description: "Twelve times `mrr`" }),
  unconverted_count: Type.Integer({ description: "Active agreements in other currencies, which `currencies` has alone" }),
  active_count: Type.Integer(),
  draft_count: Type.Integer(),
  paused_count: Type.Integer(),
  cancelled_count: Type.Integer(),
  currencies: list(SubscriptionCurrencyTotal),
});
