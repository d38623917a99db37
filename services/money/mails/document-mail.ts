import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { notFound } from "../../../core/errors/errors.ts";
import type { MailNow, MailPicture } from "../../../core/mail/mail-now.ts";
import { loadSender, transportOf } from "../../../core/mail/mail-sender.ts";
import { IN_REQUEST } from "../documents/kept-files.ts";
import { ensureToken } from "../documents/links.ts";
import { type DocumentRow, documentRows, type Rendered } from "../rendering/document-rows.ts";
import { printedDocuments } from "../rendering/render.ts";
import { type InvoicingMail, invoiceValues, isCollectable, pageOf, quoteValues, reminderValues } from "./mail-values.ts";

/** Width of the QR code in a mail, in pixels. */
const CODE_WIDTH = 200;

const SCAN: Record<string, string> = { nl: "Scan om de factuur te bekijken en te betalen" };
const SCAN_ELSE = "Scan to view and pay the invoice";

/** A document's mail, complete except for its PDF. */
export interface MailDraft extends Omit<MailNow, "id" | "to" | "files"> {
  name: string | null;
  locale: string;
}

/** What a mail has besides its draft. */
interface MailParts {
  document: DocumentRow;
  to: readonly string[];
  lead?: string | null | undefined;
}

/** One document that the caller sees, else undefined. */
export const mailedDocument = async <K extends Rendered>(
  kind: K,
  id: string,
): Promise<Extract<DocumentRow, { document: K }> | undefined> =>
  (await documentRows(kind, [id]))[0] as Extract<DocumentRow, { document: K }> | undefined;

/** Whether the running organisation has a transport for mails of this kind. */
export const canMail = async (kind: InvoicingMail): Promise<boolean> => transportOf(await loadSender(), kind) !== null;

/** A QR code of an address, for recipients who read the mail on one device and pay on another. */
async function codeOf(address: string, locale: string): Promise<MailPicture> {
  const { toBuffer } = await import("qrcode");
  const image = await toBuffer(address, { errorCorrectionLevel: "M", margin: 4, width: CODE_WIDTH });
  return {
    name: "invoice-qr.png",
    type: "image/png",
    base64: image.toString("base64"),
    alt: SCAN[locale.slice(0, 2)] ?? SCAN_ELSE,
  };
}

function valuesOf(kind: InvoicingMail, document: DocumentRow, today: IsoDate) {
  if (document.document === "quote") return quoteValues(document);
  return kind === "invoicing.reminder" ? reminderValues(document, today) : invoiceValues(document, today);
}

/** The link of a mail: an invoice's page if it can be paid online, a quote's while it is open and links are on; else null (money §13). */
async function linkOf(document: DocumentRow): Promise<string | null> {
  const { document: kind, id, status, public_links, public_token } = document;
  const asksForIt = kind === "quote" ? status === "open" && public_links : isCollectable(document);
  if (!asksForIt) return null;
  const token = public_links ? (public_token ?? (await ensureToken(kind, id))) : null;
  if (kind === "quote") return token === null ? null : `/quote/${token}`;
  return pageOf(document, token);
}

/**
 * The content of a document's mail. Runs several reads, outside any transaction.
 * @param today the organisation's day, for the days overdue in a reminder
 */
export async function draftMail(kind: InvoicingMail, document: DocumentRow, today: IsoDate): Promise<MailDraft> {
  const { locale, customer, base } = document;
  const link = await linkOf(document);
  return {
    kind,
    name: customer.attn ?? null,
    locale,
    variables: valuesOf(kind, document, today),
    link,
    picture: link === null || document.document === "quote" ? null : await codeOf(base + link, locale),
  };
}

/**
 * The complete mail with its document's PDF, with which that leaves. Call it without an open transaction: it can take seconds.
 * @param id the same in every attempt at the same mail
 * @throws 404 for a document that the caller no longer sees; 503 `unavailable` when no PDF can be rendered
 */
export async function finishedMail(
  id: string,
  { name, locale, ...mail }: MailDraft,
  { document: { document, id: documentId }, to: [address = "", ...also], lead }: MailParts,
  within = IN_REQUEST,
): Promise<MailNow> {
  const [printed] = await printedDocuments(document, [documentId], within);
  if (!printed) throw notFound();
  const { fileName, pdf } = printed;
  const file = { name: fileName, type: "application/pdf", base64: pdf.toString("base64") };
  return { ...mail, id, to: { address, also, name, locale }, lead: lead ?? null, files: [file] };
}
