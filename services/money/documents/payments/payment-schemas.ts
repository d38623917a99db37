import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  input,
  instant,
  multiline,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../../core/declare/schema.ts";

/** What is booked by hand; `online` is what a provider reported, and no caller can say it (money §6). */
const METHODS = ["bank", "cash", "card", "other"] as const;

export const PaymentWrite = input("PaymentWrite", {
  paid_on: date(),
  amount: decimalInput(),
  method: optional(choice(METHODS, { default: "bank" })),
  note: optional(nullable(multiline(255))),
});

export const PaymentRead = answer("PaymentRead", {
  id: uuid(),
  paid_on: date(),
  amount: decimal(),
  method: Type.String(),
  note: nullable(Type.String()),
  created_at: instant(),
});
