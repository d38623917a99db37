import { listing } from "../../../../core/database/lists/list.ts";
import { rowsOf } from "../../../../mixins/resource.ts";
import { documentsInSelection } from "../document-columns.ts";
import { Quote } from "../models.ts";
import { answeredQuote, quoteListing, quoteProjection, quoteSpec } from "./quote.list.ts";

const shown = { model: Quote, projection: quoteProjection, visible: documentsInSelection };

/** Quotes as the caller sees them; client logins see none, for they hold no permission of quotes. */
export const quotes = rowsOf({ ...shown, listing: quoteListing });
/** The same whose pages leave lines and tax groups empty. */
export const quotesWithoutLines = rowsOf({ ...shown, listing: listing(quoteSpec, answeredQuote(false)) });

/** The stored quote, locked until the transaction ends. @throws 404 for one the caller does not see, 412 */
export const lockQuote = quotes.forWrite;

/** The quote that was just written, whatever the selection. */
export const writtenQuote = quotes.written;
