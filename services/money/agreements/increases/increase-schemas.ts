import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  flag,
  input,
  list,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../../core/declare/schema.ts";

/** What numeric(12,2) holds. */
const MOST = 9_999_999_999.99;

export const PriceIncrease = input("SubscriptionPriceIncrease", {
  // One of these at most; none is every agreement that is not cancelled.
  subscription_type_id: optional(nullable(uuid())),
  subscription_id: optional(nullable(uuid())),
  subscription_template_id: optional(nullable(uuid())),
  include_templates: optional(flag(false)),
  mode: choice(["percent", "amount", "set"]),
  value: decimalInput({ exclusiveMinimum: -100, maximum: MOST }),
  valid_from: date(),
});

const change = { name: Type.String(), currency: Type.String(), from: decimal(), to: decimal() };

const SubscriptionIncrease = answer("SubscriptionIncrease", {
  subscription_id: uuid(),
  company_id: uuid(),
  company_name: Type.String(),
  ...change,
});
const TemplateIncrease = answer("SubscriptionTemplateIncrease", { subscription_template_id: uuid(), ...change });

export const PriceIncreaseResult = answer("SubscriptionPriceIncreaseResult", {
  valid_from: date(),
  // How many agreements of the scope have no price to start from.
  skipped: Type.Integer(),
  subscriptions: list(SubscriptionIncrease),
  templates: list(TemplateIncrease),
});
