import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  input,
  integer,
  label,
  list,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../core/declare/schema.ts";
import { MOST_AMOUNT } from "../domains/domain-schemas.ts";

export const TldPriceUpsert = input("TldPriceUpsert", {
  tld: label(128),
  amount: decimalInput({ minimum: 0, maximum: MOST_AMOUNT }),
  valid_from: optional(nullable(date())),
});

export const TldPriceRead = answer("TldPriceRow", {
  id: uuid(),
  tld: Type.String(),
  amount: decimal(),
  currency: Type.String(),
  valid_from: date(),
});

export const TldPriceGroup = answer("TldPriceGroup", {
  tld: Type.String(),
  currency: Type.String(),
  domain_count: integer(0),
  current: nullable(TldPriceRead),
  // The soonest first.
  upcoming: list(TldPriceRead),
  // The newest first, the current one among them.
  history: list(TldPriceRead),
});

export const TldPriceIncrease = input("TldPriceIncreaseRequest", {
  mode: choice(["percent", "amount", "set"]),
  value: decimalInput({ exclusiveMinimum: -100, maximum: MOST_AMOUNT }),
  valid_from: date(),
  tld: optional(nullable(label(128))),
});

const TldPriceIncreaseItem = answer("TldPriceIncreaseItem", {
  tld: Type.String(),
  currency: Type.String(),
  current_amount: decimal(),
  new_amount: decimal(),
  // Domains that it is the price of: of a status that is billed, without a price of their own.
  domain_count: integer(0),
});

export const TldPriceIncreaseResult = answer("TldPriceIncreaseResult", { items: list(TldPriceIncreaseItem) });
