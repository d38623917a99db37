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
} from "../../../../core/schema/schema.ts";

/** Methods of manual payments; callers cannot send `online`, which marks payments reported by a provider (money §6). */
const METHODS = ["bank", "cash", "card", "other"] as const;

const PAYMENT = {
  paid_on: "The day the money moved, in the organisation's zone",
  amount: "In the document's currency; negative for a refund",
  method: "Payment method. Only the service books `online`, for payments reported by a payment provider",
  discount_note_id: "The credit note of the discount for early payment that it took; null if it took none",
  note: "A remark for the bookkeeper; null without one",
};

export const PaymentWrite = input(
  "PaymentWrite",
  {
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
  },
  PAYMENT,
);

export const PaymentRead = answer(
  "PaymentRead",
  {
    id: uuid(),
    paid_on: date(),
    amount: decimal(),
    method: Type.String(),
    note: nullable(Type.String()),
    discount_note_id: nullable(uuid()),
    created_at: instant(),
  },
  PAYMENT,
);
