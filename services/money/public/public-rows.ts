import { queryOne } from "../../../core/database/query.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { etagOf } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";
import { COLLECTABLE, DISCOUNTED } from "../documents/invoices/collectable.ts";
import { shownOutside, stampLeft } from "../documents/left.ts";
import { isToken } from "../documents/links.ts";
import { EXPIRED } from "../documents/quotes/quote.list.ts";
import type { Rendered } from "../rendering/document-rows.ts";
import { type PrintedDocument, previewedLink, printedLink, type RenderedDocument } from "../rendering/render.ts";
import type { PublicQuoteRead } from "./public-schemas.ts";

/** Headers of every public-link answer: the address is a secret and must not leak (money §12). */
export const PUBLIC_HEADERS: Readonly<Record<string, string>> = {
  "Referrer-Policy": "no-referrer",
  "X-Robots-Tag": "noindex, nofollow, noarchive",
  "Cache-Control": "no-store",
};

/** The one 404 of public links, for every cause (money §12). */
export const noSuchLink = () => refusal("not_found", "errors.not_found", { headers: { ...PUBLIC_HEADERS } });

/** A document as a public link shows it, with what its answer leaves out. */
type Linked = { id: string; version: number };

/** The public fields of a document; its version becomes the tag of the answer. */
function tagged<T extends object>({ version, id: _id, ...fields }: T & Linked): Omit<T, keyof Linked> {
  request().headers["ETag"] = etagOf(version);
  return fields;
}

const READ = statement(`select t.id, t.version, t.kind, coalesce(t.number, '') as number, t.status,
    coalesce(t.customer->>'trade_name', t.customer->>'name', '') as customer_name, t.issue_date, t.due_date, t.currency, t.locale,
    t.total::text, t.paid_total::text, t.outstanding::text, t.discount_until,
    ${DISCOUNTED} as discounted, ${COLLECTABLE} as payable, newest.status as payment_status,
    coalesce(newest.status in ('open', 'pending', 'authorized'), false) as payment_pending,
    newest.settled_at is not null as payment_settled
  from invoices t left join invoicing_settings s on s.organisation_id = t.organisation_id
    left join lateral (select i.status, i.settled_at from payment_intents i
      where i.organisation_id = t.organisation_id and i.invoice_id = t.id and i.external_id is not null
      order by i.created_at desc, i.id desc limit 1) newest on true
  where t.organisation_id = $1 and t.public_token = $2 and t.status <> 'draft' and coalesce(s.public_invoice_links, true)`);

/** The public fields of the invoice of a token, which leaves by it. @throws 404 `noSuchLink` */
export const publicInvoice = async (token: string): Promise<Record<string, unknown>> =>
  tagged(await shownOutside("invoice", () => linkedRow<object>(READ, token), onlyId));

const INVOICE_ID = statement(`select t.id from invoices t left join invoicing_settings s on s.organisation_id = t.organisation_id
  where t.organisation_id = $1 and t.public_token = $2 and t.status <> 'draft' and coalesce(s.public_invoice_links, true)`);

/** The id of the invoice of a token, which leaves by it. @throws 404 `noSuchLink` */
export async function invoiceOfLink(token: string): Promise<string> {
  const { id } = await linkedRow(INVOICE_ID, token);
  await stampLeft("invoice", [id]);
  return id;
}

const LINKED_QUOTE = `from quotes t left join invoicing_settings s on s.organisation_id = t.organisation_id
  where t.organisation_id = $1 and t.public_token = $2 and t.status <> 'draft' and coalesce(s.public_invoice_links, true)`;
const READ_QUOTE =
  statement(`select t.id, t.version, coalesce(t.number, '') as number, case when ${EXPIRED} then 'expired' else t.status end as status,
    coalesce(t.customer->>'trade_name', t.customer->>'name', '') as customer_name, t.issue_date, t.valid_until, t.currency, t.locale,
    t.total::text, t.status = 'open' and not (${EXPIRED}) as decidable ${LINKED_QUOTE}`);
const QUOTE_ID = statement(`select t.id ${LINKED_QUOTE}`);

async function linkedRow<T extends object>(wanted: Statement, token: string): Promise<T & Linked> {
  const row = isToken(token) ? await queryOne<T & Linked>(wanted, [request().organisation.id, token]) : undefined;
  if (!row) throw noSuchLink();
  return row;
}
const onlyId = ({ id }: Linked): string[] => [id];

/** The public fields of the quote of a token, which leaves by it. @throws 404 `noSuchLink` */
export const publicQuote = async (token: string): Promise<Static<typeof PublicQuoteRead>> =>
  tagged<Static<typeof PublicQuoteRead>>(await shownOutside("quote", () => linkedRow(READ_QUOTE, token), onlyId));

/** The id of the quote of a token. @throws 404 `noSuchLink` */
export const quoteOfLink = async (token: string): Promise<string> => (await linkedRow(QUOTE_ID, token)).id;

/** The document of a token as HTML, byte for byte what staff see. @throws 404 `noSuchLink` */
export async function renderedLink(kind: Rendered, token: string): Promise<RenderedDocument> {
  const rendered = isToken(token) ? await previewedLink(kind, token) : undefined;
  if (!rendered) throw noSuchLink();
  return rendered;
}

/** The document of a token as PDF, byte for byte what staff see. @throws 404 `noSuchLink`; 503 `unavailable` */
export async function linkedPdf(kind: Rendered, token: string): Promise<PrintedDocument> {
  const found = isToken(token) ? await printedLink(kind, token) : undefined;
  if (!found) throw noSuchLink();
  return found;
}
