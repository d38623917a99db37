import {
  answer,
  decimal,
  flag,
  input,
  instant,
  integer,
  label,
  neverNull,
  nullable,
  optional,
  uuid,
} from "../../../../core/declare/schema.ts";
import { amount, terms, termsChanged, termsSent } from "../subscription-schemas.ts";

export const SubscriptionTemplateRead = answer("SubscriptionTemplateRead", {
  id: uuid(),
  org_id: uuid(),
  name: label(255),
  amount: decimal(),
  ...terms,
  active: flag(),
  position: integer(),
  created_at: instant(),
  updated_at: instant(),
});

export const SubscriptionTemplateCreate = input("SubscriptionTemplateCreate", {
  name: label(255),
  amount: optional(amount()),
  ...termsSent,
  active: optional(flag(true)),
  position: optional(integer(undefined, undefined, { default: 0 })),
});

export const SubscriptionTemplateUpdate = input("SubscriptionTemplateUpdate", {
  name: optional(neverNull(nullable(label(255)))),
  amount: optional(neverNull(nullable(amount()))),
  ...termsChanged,
  active: optional(neverNull(nullable(flag()))),
  position: optional(neverNull(nullable(integer()))),
});
