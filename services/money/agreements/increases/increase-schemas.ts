import { namedValues } from "../../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  field,
  flag,
  input,
  list,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../../core/schema/schema.ts";

/** The maximum of numeric(12,2). */
const MOST = 9_999_999_999.99;

export const PriceIncrease = input("SubscriptionPriceIncrease", {
  subscription_type_id: field(
    optional(nullable(uuid())),
    "Only agreements of this type. At most one of the three scopes can be named; without one, all agreements that are not cancelled change",
  ),
  subscription_id: field(optional(nullable(uuid())), "Only this agreement"),
  subscription_template_id: field(
    optional(nullable(uuid())),
    "Only agreements made from this preset; it needs the permission to manage presets",
  ),
  include_templates: field(optional(flag(false)), "Whether the amounts of presets change too"),
  mode: field(
    choice(namedValues("PriceIncreaseMode", ["percent", "amount", "set"])),
    "`percent` and `amount` add `value` to the price, `set` replaces the price by it",
  ),
  value: field(
    decimalInput({ exclusiveMinimum: -100, maximum: MOST, decimalPlaces: null }),
    "Percentage, or an amount in each agreement's currency; above -100, and a price never falls below 0.00",
  ),
  valid_from: field(
    date(),
    "Day from which the new price counts, in the organisation's zone. It starts from the newest price before that day; the same day again replaces the increase",
  ),
});

const change = {
  name: Type.String({ description: "Its name" }),
  currency: Type.String({ description: "ISO 4217 code of both amounts" }),
  from: decimal({ description: "The price before, with 2 decimals" }),
  to: decimal({ description: "The price from `valid_from` on, with 2 decimals" }),
};

const SubscriptionIncrease = answer("SubscriptionIncrease", {
  subscription_id: field(uuid(), "The agreement"),
  company_id: field(uuid(), "Its client"),
  company_name: Type.String({ description: "That client's name" }),
  ...change,
});
const TemplateIncrease = answer("SubscriptionTemplateIncrease", {
  subscription_template_id: field(uuid(), "The preset"),
  ...change,
});

export const PriceIncreaseResult = answer("SubscriptionPriceIncreaseResult", {
  valid_from: field(date(), "Day from which the new prices count"),
  skipped: Type.Integer({ description: "Agreements in the scope without a price to start from" }),
  subscriptions: field(list(SubscriptionIncrease), "Agreements whose price changes"),
  templates: field(list(TemplateIncrease), "Presets whose amount changes; empty unless `include_templates` is true"),
});
