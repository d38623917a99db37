import { listing } from "../../../../core/database/lists/list.ts";
import { queryOne } from "../../../../core/database/query.ts";
import { notFound } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { JsonText, WrittenRow } from "../../../../core/sql/json-text.ts";
import type { Bound } from "../../../../core/sql/statement.ts";
import { rowsOf } from "../../../../mixins/resource.ts";
import { documentsInSelection } from "../document-columns.ts";
import { Quote } from "../models.ts";
import { addressParts } from "../public-address.ts";
import { answeredQuote, quoteListing, quoteProjection, quoteSpec, wholeQuote } from "./quote.list.ts";

const shown = { model: Quote, projection: quoteProjection, visible: documentsInSelection };

/** Quotes that the caller sees; client logins see none, as they have no permission for quotes. */
export const quotes = rowsOf({ ...shown, listing: quoteListing });
/** The same, with pages that leave lines and tax groups empty. */
export const quotesWithoutLines = rowsOf({ ...shown, listing: listing(quoteSpec, answeredQuote(false)) });

/** The stored quote, locked until the transaction ends. @throws 404 for one the caller does not see, 412 */
export const lockQuote = quotes.forWrite;

const WHOLE = wholeQuote.one(`($3::uuid[] is null or ${documentsInSelection("$3::uuid[]")})`);

const reading = (id: string, selection: string[] | null): Bound => [
  WHOLE,
  [request().organisation.id, id, selection, ...addressParts()],
];

/** One quote as the caller sees it. @throws 404 */
export async function oneQuote(id: string): Promise<JsonText> {
  const [text, values] = reading(id, request().principal?.selection ?? null);
  const found = await queryOne<{ version: number; body: string }>(text, values);
  if (!found) throw notFound();
  return new JsonText(found.body, found.version);
}

/** The quote just written, regardless of the selection. */
export const writtenQuote = (id: string): WrittenRow => new WrittenRow(reading(id, null));
