import { listing } from "../../../../core/database/lists/list.ts";
import type { ListingSpec } from "../../../../core/database/lists/listing-spec.ts";
import { projection } from "../../../../core/database/projection.ts";
import { documentColumns, documentsInSelection } from "../document-columns.ts";
import { Quote } from "../models.ts";
import { publicAddress } from "../public-address.ts";
import { QuoteRead } from "./quote-schemas.ts";

/** Condition: the quote on alias `t` has expired, even if the daily job has not marked it yet (money §2 "Derived"). */
export const EXPIRED = `t.status = 'expired' or (t.status = 'open' and coalesce(t.valid_until < (select organisation_today()), false))`;

/** A quote as answered, with or without lines. */
export const answeredQuote = (whole: boolean) => {
  const { columns, fixed, joins } = documentColumns("quote", whole);
  return projection({
    ...{ model: Quote, schema: QuoteRead, joins },
    columns: { ...columns, expired: EXPIRED },
    fixed: { ...fixed, public_url: "" },
  });
};

const whole = documentColumns("quote", true);
/** One complete quote, with its public address. */
export const wholeQuote = projection({
  ...{ model: Quote, schema: QuoteRead, joins: whole.joins },
  columns: { ...whole.columns, expired: EXPIRED, public_url: publicAddress("quote") },
});

/** The one select behind every answer with a quote. */
export const quoteProjection = answeredQuote(true);

/** The sorts and filters of the list, with or without lines. */
export const quoteSpec: ListingSpec = {
  table: "quotes",
  searchable: true,
  order: "-created_at",
  sorts: {
    number: { by: "t.number", text: true, mayBeEmpty: true },
    status: { by: "t.status", text: true },
    issue_date: { by: "t.issue_date", mayBeEmpty: true },
    valid_until: { by: "t.valid_until", mayBeEmpty: true },
    total: { by: "t.total" },
    created_at: { by: "t.created_at" },
  },
  filters: {
    status: { type: "text", when: (slot) => `t.status = ${slot}` },
    company_id: { type: "uuid", when: (slot) => `t.company_id = ${slot}` },
  },
  visible: documentsInSelection,
  kept: { by: "status" },
};

/** The list of quotes (money §2 "List"). */
export const quoteListing = listing(quoteSpec, quoteProjection);
