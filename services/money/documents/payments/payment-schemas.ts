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
  paid_on: Type.Unsafe<string>({
    ...date(),
    description: "The day the money moved, from 2000 to one year after the organisation's today.",
  }),
  amount: decimalInput({
    decimalPlaces: 2,
    description: "In the document's currency, without parts of its minor unit. Negative for a refund or a correction.",
  }),
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
