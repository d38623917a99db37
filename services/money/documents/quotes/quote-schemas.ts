import {
  answer,
  choice,
  date,
  flag,
  input,
  instant,
  multiline,
  nullable,
  optional,
  type Static,
  Type,
  uuid,
} from "../../../../core/declare/schema.ts";
import { changedDocument, createdDocument, readDocument } from "../document-schemas.ts";

export const QUOTE_STATUSES = ["draft", "open", "accepted", "rejected", "expired", "invoiced"] as const;

export const QuoteCreate = input("QuoteCreate", { ...createdDocument, valid_until: optional(nullable(date())) });
export type QuoteDraft = Static<typeof QuoteCreate>;

export const QuoteUpdate = input("QuoteUpdate", { ...changedDocument, valid_until: optional(nullable(date())) });
export type QuoteChange = Static<typeof QuoteUpdate>;

export const QuoteDecision = input("QuoteDecision", { note: optional(nullable(multiline(2000))) });

export const QuoteRead = answer("QuoteRead", {
  ...readDocument,
  status: choice(QUOTE_STATUSES, { $id: "QuoteStatus" }),
  valid_until: nullable(date()),
  expired: flag(),
  decided_at: nullable(instant()),
  decision_note: nullable(Type.String()),
  invoice_id: nullable(uuid()),
  public_url: Type.String({
    description:
      "Address of the page on which its client reads and decides on it. Empty while it is a draft, has no token or public links are off, and in lists.",
  }),
});
