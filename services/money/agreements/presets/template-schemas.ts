import {
  answer,
  decimal,
  flag,
  input,
  instant,
  integer,
  neverNull,
  nonEmpty,
  nullable,
  optional,
  uuid,
} from "../../../../core/schema/schema.ts";
import { amount, terms, termsChanged, termsSent } from "../subscription-schemas.ts";

const PRESET = {
  name: "Name of the preset; agreements with its old name are renamed too",
  amount: "Price of one whole period, with 2 decimals, for agreements made from it; 0 if omitted",
  currency: "ISO 4217 code of its amounts; EUR if omitted",
  interval: "Length of a period: `monthly`, `quarterly` or `yearly`, times `interval_count`",
  interval_count: "How many intervals a period has, such as 2 with `monthly` for two months",
  included_hours: "Hours of work that a period includes; null if it is not agreed",
  rollover: "What happens to unused included hours at the end of a period",
  notice_period_days: "Days of notice before it can end; null if not agreed",
  subscription_type_id: "The kind of agreement; null without one",
  lines: "Lines that agreements made from it begin with. Sent in a change, they replace all lines",
  active: "Whether it is offered for new agreements",
  position: "Its position in lists, the lowest first",
};

export const SubscriptionTemplateRead = answer(
  "SubscriptionTemplateRead",
  {
    id: uuid(),
    org_id: uuid(),
    name: nonEmpty(255),
    amount: decimal(),
    ...terms,
    active: flag(),
    position: integer(),
    created_at: instant(),
    updated_at: instant(),
  },
  PRESET,
);

export const SubscriptionTemplateCreate = input(
  "SubscriptionTemplateCreate",
  {
    name: nonEmpty(255),
    amount: optional(amount()),
    ...termsSent,
    active: optional(flag(true)),
    position: optional(integer(undefined, undefined, { default: 0 })),
  },
  PRESET,
);

export const SubscriptionTemplateUpdate = input(
  "SubscriptionTemplateUpdate",
  {
    name: optional(neverNull(nullable(nonEmpty(255)))),
    amount: optional(neverNull(nullable(amount()))),
    ...termsChanged,
    active: optional(neverNull(nullable(flag()))),
    position: optional(neverNull(nullable(integer()))),
  },
  PRESET,
);
