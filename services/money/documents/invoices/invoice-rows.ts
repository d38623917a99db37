import { listing } from "../../../../core/database/lists/list.ts";
import { queryOne } from "../../../../core/database/query.ts";
import { notFound } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { JsonText, WrittenRow } from "../../../../core/sql/json-text.ts";
import type { Bound, Statement } from "../../../../core/sql/statement.ts";
import { rowsOf } from "../../../../mixins/resource.ts";
import { shownOutside } from "../left.ts";
import { Invoice, type InvoiceRow } from "../models.ts";
import { addressParts, publicAddress } from "../public-address.ts";
import { invoiceListing, invoiceSpec, invoicesOfClient, invoicesOfStaff, listedInvoice, wholeInvoice } from "./invoice.list.ts";
import { withReadiness } from "./readiness.ts";

const PUBLIC_URL = publicAddress("invoice");

const isClient = (): boolean => request().principal?.isClientLogin === true;

const seen = (visible: (slot: string) => string): string => `($3::uuid[] is null or ${visible("$3::uuid[]")})`;
const STAFF = wholeInvoice(false, PUBLIC_URL).one(seen(invoicesOfStaff));
const CLIENT = wholeInvoice(true, PUBLIC_URL).one(seen(invoicesOfClient));
/** The list without lines and tax groups; it searches like the full list. */
const invoiceHeads = listing(invoiceSpec, listedInvoice(false));
const staffRows = rowsOf({
  model: Invoice,
  projection: wholeInvoice(false, "''"),
  listing: invoiceListing,
  visible: invoicesOfStaff,
  narrowed: true,
});
const staffHeads = rowsOf({
  model: Invoice,
  projection: wholeInvoice(false, "''"),
  listing: invoiceHeads,
  visible: invoicesOfStaff,
  narrowed: true,
});
const clientRows = rowsOf({
  model: Invoice,
  projection: wholeInvoice(true, "''"),
  listing: invoiceListing,
  visible: invoicesOfClient,
  narrowed: true,
});

const reading = (text: Statement, id: string, selection: string[] | null): Bound => [
  text,
  [request().organisation.id, id, selection, ...(text === STAFF ? addressParts() : [])],
];

/** A page of invoices as the caller sees them. @throws 400 `invalid_sort` */
export function pageOfInvoices(
  asked: Parameters<typeof staffRows.page>[0],
  filters: Record<string, unknown>,
  whole: boolean,
): Promise<JsonText> {
  const page = () => (whole ? staffRows : staffHeads).page(asked, { ...filters, issued: isClient() ? true : undefined });
  return isClient() ? shownOutside("invoice", page, idsOfPage) : page();
}
const idsOfPage = (page: JsonText): string[] => (page.parse() as { items: { id: string }[] }).items.map(({ id }) => id);

/** One invoice as the caller sees it. @throws 404 */
export async function oneInvoice(id: string): Promise<JsonText> {
  const bound = reading(isClient() ? CLIENT : STAFF, id, request().principal?.selection ?? null);
  const read = () => queryOne<{ version: number; body: string }>(...bound);
  const found = isClient() ? await shownOutside("invoice", read, (row) => (row ? [id] : [])) : await read();
  if (!found) throw notFound();
  return new JsonText(withReadiness(found.body), found.version);
}

/** The invoice just written, with the numbers of other documents that its writer sees; every writer sees the clients it writes to. */
export const writtenInvoice = (id: string): WrittenRow =>
  new WrittenRow(reading(STAFF, id, request().principal?.selection ?? null), withReadiness);

/**
 * The stored invoice, locked until the transaction ends. Every change of an invoice, its lines, its payments or its balance requires this
 * lock; lock a credit note before its source.
 * @throws 404 for one the caller does not see, 412
 */
export const lockInvoice = (id: string): Promise<InvoiceRow> => (isClient() ? clientRows : staffRows).forWrite(id);
