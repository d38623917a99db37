import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  input,
  integer,
  list,
  nullable,
  optional,
  type Static,
  Type,
  text,
  uuid,
} from "../../../../core/declare/schema.ts";
import { PRICE_PLACES } from "../../calculation/totals.ts";
import { taxCategory } from "../../settings/tax-rate-schemas.ts";

export const LINE_KINDS = ["product", "hours", "subscription", "domain"] as const;
/** Lines of one document (money §2). */
export const MOST_LINES = 200;

const lineKind = (options: Record<string, unknown> = {}) => choice(LINE_KINDS, { $id: "LineKind", ...options });

/** Quantities and unit prices are kept as they are sent. */
const PRICED = { decimalPlaces: PRICE_PLACES, description: "Up to 4 decimals, kept as sent." };

/** A text of several lines: line breaks and tabs are kept, other control characters refused. */
const describing = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: "^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$" });

export const LineWrite = input("LineWrite", {
  description: describing(512),
  line_kind: optional(lineKind({ default: "product" })),
  quantity: optional(Type.Unsafe<string | number>({ ...decimalInput(PRICED), default: "1" })),
  unit: optional(nullable(text(20))),
  unit_price: optional(Type.Unsafe<string | number>({ ...decimalInput(PRICED), default: "0" })),
  tax_rate_id: optional(nullable(uuid())),
  time_entry_id: optional(nullable(uuid())),
  time_entry_ids: optional(Type.Array(uuid(), { default: [] })),
  subscription_id: optional(nullable(uuid())),
  domain_id: optional(nullable(uuid())),
  period_start: optional(nullable(date())),
  period_end: optional(nullable(date())),
});
/** A line as it is sent, by a caller or by the service itself. */
export type SentLine = Static<typeof LineWrite>;
export const lines = () => Type.Array(LineWrite, { maxItems: MOST_LINES });

export const LineRead = answer("LineRead", {
  id: uuid(),
  position: integer(0),
  description: Type.String(),
  line_kind: lineKind(),
  quantity: decimal({ description: "With 2 to 4 decimals, as it was sent." }),
  unit: nullable(Type.String()),
  unit_price: decimal({ description: "With 2 to 4 decimals, as it was sent; before tax unless prices include it." }),
  amount: decimal({
    description: "Quantity × unit price, rounded to the minor unit of the document's currency; with 2 decimals.",
  }),
  tax_rate_id: nullable(uuid()),
  tax_rate_pct: decimal(),
  tax_category: taxCategory(),
  tax_name: Type.String(),
  time_entry_ids: list(uuid()),
  subscription_id: nullable(uuid()),
  domain_id: nullable(uuid()),
  period_start: nullable(date()),
  period_end: nullable(date()),
});

export const TaxGroupRead = answer("TaxGroupRead", {
  name: Type.String(),
  rate_pct: decimal(),
  category: taxCategory(),
  base: decimal(),
  tax: decimal(),
});
