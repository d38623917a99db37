import { namedValues } from "../../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  date,
  decimalInput,
  field,
  flag,
  input,
  instant,
  multiline,
  nullable,
  optional,
  type Static,
  Type,
  uuid,
} from "../../../../core/schema/schema.ts";
import { changedDocument, createdDocument, readDocument } from "../document-schemas.ts";

export const QUOTE_STATUSES = namedValues("QuoteStatus", ["draft", "open", "accepted", "rejected", "expired", "invoiced"]);

const QUOTE = {
  status:
    "`draft` until it is issued, `open` until it is decided or expires, then `accepted`, `rejected` or `expired`; `invoiced` once it became an invoice",
  valid_until:
    "Last day on which its client can accept it on its public page; null on a draft uses the default term of the settings when it is issued",
  expired: "Whether it has expired, or is open past `valid_until`",
  decided_at: "When it was accepted or rejected, UTC; null while it is not",
  decision_note: "Note sent with that decision; null without one",
  invoice_id: "The invoice made from it; null until there is one",
};

export const QuoteCreate = input("QuoteCreate", { ...createdDocument, valid_until: optional(nullable(date())) }, QUOTE);
export type QuoteDraft = Static<typeof QuoteCreate>;

export const QuoteUpdate = input("QuoteUpdate", { ...changedDocument, valid_until: optional(nullable(date())) }, QUOTE);
export type QuoteChange = Static<typeof QuoteUpdate>;

export const QuoteDecision = input("QuoteDecision", {
  note: field(optional(nullable(multiline(2000))), "Why it is accepted or rejected, shown as `decision_note`; null without one"),
});

/** A deposit: a share of the quote, or an amount. */
export const DepositCreate = input("DepositCreate", {
  percent: optional(
    nullable(
      decimalInput({
        minimum: 0.01,
        maximum: 100,
        decimalPlaces: 2,
        description: "Percentage of the quote's total with tax, with up to 2 decimals. Send this or `amount`",
      }),
    ),
  ),
  amount: optional(
    nullable(
      decimalInput({
        exclusiveMinimum: 0,
        decimalPlaces: 2,
        description: "The deposit with tax, in the quote's currency. Send this or `percent`",
      }),
    ),
  ),
});
export type DepositWish = Static<typeof DepositCreate>;

export const QuoteRead = answer(
  "QuoteRead",
  {
    ...readDocument,
    status: choice(QUOTE_STATUSES),
    valid_until: nullable(date()),
    expired: flag(),
    decided_at: nullable(instant()),
    decision_note: nullable(Type.String()),
    invoice_id: nullable(uuid()),
    public_url: Type.String({
      description:
        "Address of the page on which its client reads it and decides. Empty while it is a draft, has no token or public links are off, and in lists.",
    }),
  },
  QUOTE,
);
