import { namedValues } from "../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  field,
  input,
  integer,
  label,
  list,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";
import { MOST_AMOUNT } from "../domains/domain-schemas.ts";

export const TldPriceUpsert = input("TldPriceUpsert", {
  tld: field(label(128), "Extension, such as `nl` or `co.uk`; dots around it and upper case are dropped"),
  amount: field(
    decimalInput({ minimum: 0, maximum: MOST_AMOUNT, decimalPlaces: 2 }),
    "Price of a year, with 2 decimals, in the organisation's currency; an existing row keeps its own",
  ),
  valid_from: field(
    optional(nullable(date())),
    "Day from which it counts; absent or null is the organisation's today. The same day again replaces the amount",
  ),
});

export const TldPriceRead = answer("TldPriceRow", {
  id: uuid(),
  tld: Type.String({ description: "Extension, in ASCII and lower case" }),
  amount: decimal({ description: "Price of a year, with 2 decimals" }),
  currency: Type.String({ description: "ISO 4217 code of `amount`" }),
  valid_from: field(date(), "Day from which it applies, until that of the next row"),
});

export const TldPriceGroup = answer("TldPriceGroup", {
  tld: Type.String({ description: "Extension, in ASCII and lower case" }),
  currency: Type.String({ description: "ISO 4217 code of its prices; the organisation's if it has none" }),
  domain_count: field(integer(0), "Domains of the organisation with this extension"),
  current: field(nullable(TldPriceRead), "The price of today; null without one"),
  upcoming: field(list(TldPriceRead), "Prices that begin later, the soonest first"),
  history: field(list(TldPriceRead), "Today's price and earlier ones, the newest first"),
});

export const TldPriceIncrease = input("TldPriceIncreaseRequest", {
  mode: field(
    choice(namedValues("PriceIncreaseMode", ["percent", "amount", "set"])),
    "`percent` and `amount` add `value` to the price, `set` replaces the price by it",
  ),
  value: field(
    decimalInput({ exclusiveMinimum: -100, maximum: MOST_AMOUNT, decimalPlaces: null }),
    "Percentage, or an amount in each price's currency; above -100, and a price never falls below 0.00",
  ),
  valid_from: field(
    date(),
    "Day from which the new prices count. It starts from the newest price before that day; the same day again replaces the increase",
  ),
  tld: field(optional(nullable(label(128))), "Only this extension; null for all"),
});

const TldPriceIncreaseItem = answer("TldPriceIncreaseItem", {
  tld: Type.String({ description: "Extension, in ASCII and lower case" }),
  currency: Type.String({ description: "ISO 4217 code of both amounts" }),
  current_amount: decimal({ description: "The price it starts from" }),
  new_amount: decimal({ description: "The price from `valid_from` on, rounded half up to 2 decimals" }),
  domain_count: field(integer(0), "Domains that it changes the price of: those with a billed status and no price of their own"),
});

export const TldPriceIncreaseResult = answer("TldPriceIncreaseResult", {
  items: field(list(TldPriceIncreaseItem), "Extensions with a price to start from, in alphabetical order"),
});
