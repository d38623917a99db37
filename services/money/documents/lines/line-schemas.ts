import { namedValues } from "../../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  field,
  input,
  integer,
  list,
  nullable,
  optional,
  type Static,
  Type,
  text,
  uuid,
} from "../../../../core/schema/schema.ts";
import { PRICE_PLACES } from "../../calculation/totals.ts";
import { taxCategory } from "../../settings/tax-rate-schemas.ts";

export const LINE_KINDS = namedValues("LineKind", ["product", "hours", "subscription", "domain"]);
/** Maximum lines of one document (money §2). */
export const MOST_LINES = 200;

const lineKind = (options: Record<string, unknown> = {}) => choice(LINE_KINDS, options);

/** Quantities and unit prices are stored as sent. */
const PRICED = { decimalPlaces: PRICE_PLACES };

/** A multi-line text: allows line breaks and tabs, rejects other control characters. */
const describing = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: "^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$" });

const LINE = {
  position: "Its place on the document, from 0",
  description: "Text of the line, as printed; line breaks are kept",
  line_kind: "The section it is printed in; it never affects money",
  quantity: "Quantity, with up to 4 decimals, kept as sent; 1 if omitted. A negative quantity or price is a deduction",
  unit_price:
    "Unit price, with up to 4 decimals, kept as sent; before tax unless the document's prices include it, and 0 if omitted",
  unit: "Unit of the quantity, such as `hour`; null prints none",
  tax_rate_id:
    "The tax rate. Omitted, it is the default of the settings, else the default rate; null in an answer if there was no rate or it was deleted",
  tax_rate_pct: "Percentage that was frozen when the line was written; later changes of the rate do not reach it",
  tax_category: "Tax category, frozen with it",
  tax_name: "Label of the rate in the document's language, frozen with it; empty if no rate applied",
  deposit_id:
    "The deposit that the line of a final invoice deducts; null for other lines. The service writes these lines itself: those that are sent stand for them, and are refused on other documents",
  tax_amount:
    "Tax that a deducted deposit states, with 2 decimals, negative; null for other lines, whose tax follows from their group",
  time_entry_id: "One time entry that the line bills; the same as an item of `time_entry_ids`",
  time_entry_ids:
    "Time entries that the line bills. Each is marked as invoiced; entries that cannot be billed, or are another document's, are left out without an error",
  subscription_id:
    "The agreement whose period the line bills, together with `period_end`; null without one. A line bills an agreement or a domain, not both",
  domain_id: "The domain whose year the line bills, together with `period_end`; null without one",
  period_start: "Day the billed period begins; null without one",
  period_end:
    "Day the billed period ends, required with an agreement or domain; null without one. Only one document can bill a period",
};

export const LineWrite = input(
  "LineWrite",
  {
    description: describing(512),
    line_kind: optional(lineKind({ default: "product" })),
    quantity: optional(Type.Unsafe<string | number>({ ...decimalInput(PRICED), default: "1" })),
    unit: optional(nullable(text(20))),
    unit_price: optional(Type.Unsafe<string | number>({ ...decimalInput(PRICED), default: "0" })),
    tax_rate_id: optional(nullable(uuid())),
    deposit_id: optional(nullable(uuid())),
    time_entry_id: optional(nullable(uuid())),
    time_entry_ids: optional(Type.Array(uuid(), { default: [] })),
    subscription_id: optional(nullable(uuid())),
    domain_id: optional(nullable(uuid())),
    period_start: optional(nullable(date())),
    period_end: optional(nullable(date())),
  },
  LINE,
);
/** A line as sent by a caller or the service itself. */
export type SentLine = Static<typeof LineWrite>;
export const lines = () => Type.Array(LineWrite, { maxItems: MOST_LINES });

export const LineRead = answer(
  "LineRead",
  {
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
    deposit_id: nullable(uuid()),
    tax_amount: nullable(decimal()),
    time_entry_ids: list(uuid()),
    subscription_id: nullable(uuid()),
    domain_id: nullable(uuid()),
    period_start: nullable(date()),
    period_end: nullable(date()),
  },
  LINE,
);

export const TaxGroupRead = answer("TaxGroupRead", {
  name: Type.String({ description: "Label of the rate, from the first line that has one" }),
  rate_pct: decimal({ description: "Percentage of the group" }),
  category: field(taxCategory(), "Tax category of the group"),
  base: decimal({ description: "Sum before tax, with 2 decimals" }),
  tax: decimal({ description: 'Tax on it, rounded once for the whole group; "0.00" for exempt and reverse-charged lines' }),
});
