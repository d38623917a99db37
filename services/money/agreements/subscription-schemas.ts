import { namedValues } from "../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  field,
  input,
  instant,
  integer,
  json,
  line,
  list,
  multiline,
  names,
  neverNull,
  nonEmpty,
  nullable,
  optional,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";
import { PRICE_PLACES } from "../calculation/totals.ts";

export const SUBSCRIPTION_STATUSES = namedValues("SubscriptionStatus", ["draft", "active", "paused", "cancelled"]);
export const INTERVALS = namedValues("SubscriptionInterval", ["monthly", "quarterly", "yearly"]);
const ROLLOVER_MODES = namedValues("RolloverMode", ["none", "carry"]);
export const LEVELS = namedValues("AutoInvoiceMode", ["off", "draft", "issue", "send"]);

/** Lines per agreement: they must fit on one document (money §2). */
const MOST_LINES = 200;
/** Maximum projects, and maximum tasks, of one agreement (decision). */
const MOST_LINKS = 200;
/** The largest amount and the largest quantity (money §0 "Amounts"). */
const MOST_AMOUNT = 9_999_999_999.99;
const MOST_QUANTITY = 99_999_999.99;
/** Quantities and prices of lines are stored as sent. */
const PRICED = { minimum: 0, decimalPlaces: PRICE_PLACES };

export const status = (options: Record<string, unknown> = {}) => choice(SUBSCRIPTION_STATUSES, options);
const interval = (options: Record<string, unknown> = {}) => choice(INTERVALS, options);
const anchor = () =>
  nullable(
    choice(["month_end"], {
      description:
        "`month_end`: every boundary that follows is the last day of its month, as 31 January, 28 February, 31 March. Null: the day of the boundary before; after the end of a shorter month it stays that day, as 31 January, 28 February, 28 March.",
    }),
  );
/** The setting for due periods. */
export const level = () => choice(LEVELS);
export const amount = () => decimalInput({ minimum: 0, maximum: MOST_AMOUNT, decimalPlaces: 2 });

const Rollover = Type.Object(
  {
    mode: field(choice(ROLLOVER_MODES), "`carry` moves unused hours to later periods, `none` lets them lapse"),
    expires_after_periods: field(nullable(integer(1)), "Periods after which carried hours lapse; null if they never lapse"),
  },
  { $id: "SubscriptionRollover", "x-usage": "response" },
);
const RolloverWrite = input("SubscriptionRolloverWrite", {
  mode: field(choice(ROLLOVER_MODES), "`carry` moves unused hours to later periods, `none` lets them lapse"),
  expires_after_periods: field(
    optional(nullable(integer(1))),
    "Periods after which carried hours lapse; null if they never lapse",
  ),
});

const LineRead = answer("SubscriptionLine", {
  description: field(nonEmpty(512), "Text of the line"),
  quantity: decimal({ description: "How many a period has, with 2 to 4 decimals" }),
  unit_amount: decimal({ description: "Unit price in the agreement's currency, with 2 to 4 decimals" }),
});
const LineWrite = input("SubscriptionLineWrite", {
  description: field(nonEmpty(512), "Text of the line"),
  quantity: optional(
    decimalInput({
      ...PRICED,
      maximum: MOST_QUANTITY,
      description: "Units in each period, with up to 4 decimals, kept as sent; 1 if omitted",
    }),
  ),
  unit_amount: decimalInput({
    ...PRICED,
    maximum: MOST_AMOUNT,
    description: "Unit price in the agreement's currency, with up to 4 decimals, kept as sent",
  }),
});

/** The shared fields of agreements and presets, as answered. */
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

/** The same fields as sent; an agreement takes missing ones from its preset. */
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

/** Terms in a body. */
export type TermsSent = Partial<Static<TObject<typeof termsSent>>>;

const given = <T extends TSchema>(schema: T) => optional(neverNull(nullable(schema)));

/** The same fields in an update; without own lines, a period has one line. */
export const termsChanged = {
  ...termsSent,
  currency: given(currency()),
  interval: given(choice(INTERVALS)),
  interval_count: given(integer(1, 12)),
} satisfies TProperties;

/** Fields besides the terms that a body may leave empty. */
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

const AGREEMENT = {
  company_id: "The client that is billed",
  company_name: "That client's name",
  name: "Name of the agreement, and the text of a period's only line",
  status: "`active` agreements are billed; `paused` ones only by hand; `draft` and `cancelled` ones not at all",
  start_date: "Day it begins, from which its first price counts, in the organisation's zone",
  end_date: "Day it ends, not before it begins; null without an end. No period that ends later is billed",
  next_invoice_date:
    "Day on which the next period ends and is billed; null if no further period is due. When it is first activated without one, it becomes the start plus one period",
  amount: "Price of one whole period, with 2 decimals. An answer has today's price; a change adds a row to the price history",
  amount_valid_from:
    "Day from which a changed `amount` counts, in the organisation's zone; absent or null is today. Earlier periods keep their price",
  monthly_equivalent: "`amount` divided by the months of a period, rounded to the minor unit of the currency",
  auto_invoice_mode:
    "What the billing job does with a due period: `off` nothing, `draft` creates an invoice, `issue` issues it, `send` mails it too; null uses the organisation's setting",
  currency: "ISO 4217 code of its amounts; EUR if omitted",
  interval: "Length of a period: `monthly`, `quarterly` or `yearly`, times `interval_count`",
  interval_count: "How many intervals a period has, such as 2 with `monthly` for two months",
  included_hours: "Hours of work that a period includes; null if it is not agreed",
  rollover: "What happens to unused included hours at the end of a period",
  notice_period_days: "Days of notice before it can end; null if not agreed",
  subscription_type_id: "The kind of agreement; null without one",
  lines:
    "Lines that a period is billed with, at their own prices. Empty: one line with the name and the price of the period. Sent in a change, they replace all lines",
  subscription_type_label: "Label of the kind by language; null without one",
  subscription_template_id: "The preset it was made from, which fills terms that a new agreement leaves out; null without one",
  subscription_template_name: "That preset's name; null without one",
  project_ids: "Projects that belong to it, at most 200. Sent in a change, they replace all links",
  task_ids: "Tasks that belong to it, at most 200. Sent in a change, they replace all links",
  notes: "Internal remarks; null without any",
  activated_at: "When it was active for the first time, UTC; null before, and unchanged when it is resumed",
};

export const SubscriptionCreate = input(
  "SubscriptionCreate",
  {
    company_id: uuid(),
    name: nonEmpty(255),
    amount: amount(),
    start_date: date(),
    status: optional(status({ default: "active" })),
    ...termsSent,
    ...details,
  },
  AGREEMENT,
);

export const SubscriptionUpdate = input(
  "SubscriptionUpdate",
  {
    company_id: given(uuid()),
    name: given(nonEmpty(255)),
    amount: given(amount()),
    amount_valid_from: optional(nullable(date())),
    start_date: given(date()),
    status: given(choice(SUBSCRIPTION_STATUSES)),
    ...termsChanged,
    ...details,
  },
  AGREEMENT,
);

export const SubscriptionRead = answer(
  "SubscriptionRead",
  {
    id: uuid(),
    org_id: uuid(),
    company_id: uuid(),
    company_name: Type.String(),
    name: nonEmpty(255),
    status: status(),
    start_date: date(),
    end_date: nullable(date()),
    next_invoice_date: nullable(date()),
    anchor: anchor(),
    amount: decimal(),
    monthly_equivalent: decimal(),
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
  },
  AGREEMENT,
);

export const SubscriptionPriceRead = answer("SubscriptionPriceRead", {
  valid_from: field(date(), "Day from which the price applies, until that of the next row"),
  amount: decimal({ description: "Price of one period in the agreement's currency, with 2 decimals" }),
  created_at: instant(),
  updated_at: instant(),
});

const SubscriptionCurrencyTotal = answer("SubscriptionCurrencyTotal", {
  currency: Type.String({ description: "ISO 4217 code of both sums" }),
  count: Type.Integer({ description: "Number of active agreements in this currency" }),
  mrr: decimal({ description: "Their total per month" }),
  arr: decimal({ description: "Twelve times `mrr`" }),
});

export const SubscriptionSummary = answer("SubscriptionSummary", {
  mrr: decimal({
    description:
      "Total per month of the active agreements in the organisation's currency, from their start to their end date, both included",
  }),
  arr: decimal({ description: "Twelve times `mrr`" }),
  unconverted_count: Type.Integer({
    description: "Number of active agreements in other currencies; only `currencies` includes them",
  }),
  active_count: Type.Integer({ description: "Number of active agreements that have begun and have not ended" }),
  draft_count: Type.Integer({ description: "Number of draft agreements" }),
  paused_count: Type.Integer({ description: "Number of paused agreements" }),
  cancelled_count: Type.Integer({ description: "Number of cancelled agreements" }),
  currencies: field(list(SubscriptionCurrencyTotal), "Sums of the active agreements by currency"),
});
