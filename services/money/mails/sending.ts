import { newId } from "../../../core/database/model.ts";
import { queueUpdate } from "../../../core/database/write.ts";
import { conflict, notFound, refusal } from "../../../core/errors/errors.ts";
import { type CallActor, handOver } from "../../../core/mail/mail-now.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { trail } from "../../../core/trail/trail.ts";
import { isPayable } from "../../../mixins/payments/payable.ts";
import { inOwnTransaction, storeOutsideResult } from "../../../mixins/tenancy.ts";
import { stampLeft } from "../documents/left.ts";
import { Invoice, type InvoiceRow, Quote } from "../documents/models.ts";
import type { DocumentRow, Rendered } from "../rendering/document-rows.ts";
import { canMail, draftMail, finishedMail, mailedDocument } from "./document-mail.ts";
import { type InvoicingMail, recipientsOf, type SentTo, sentTo } from "./mail-values.ts";
import { releaseTurn, takeTurn, turnFree } from "./reminder-turn.ts";

/** The caller's options for a send. */
export interface SendWish {
  to?: string | null | undefined;
  message?: string | null | undefined;
  /** False: it was sent outside the service. */
  email?: boolean | undefined;
}

/** The recipients of a mail; null for a document sent outside the service. */
export type MailOutcome = SentTo | null;

const SENDABLE: Record<Rendered, ReadonlySet<string>> = { invoice: new Set(["open", "paid"]), quote: new Set(["open"]) };
const wrongStatus = () => conflict("errors.invoicing.wrong_status");

async function seen<K extends Rendered>(kind: K, id: string): Promise<Extract<DocumentRow, { document: K }>> {
  const document = await mailedDocument(kind, id);
  if (!document) throw notFound();
  return document;
}

/**
 * Mails a document while the caller waits; writes nothing.
 * @throws 400 `errors.invoicing.no_recipient`, `email_not_configured`; 503 when no PDF can be rendered; 502 `email_failed` when the mail is
 * not accepted
 */
async function mail(call: CallActor, kind: InvoicingMail, document: DocumentRow, to: readonly string[], message?: string | null) {
  if (to.length === 0) throw refusal("validation", "errors.invoicing.no_recipient");
  if (!(await canMail(kind))) throw refusal("email_not_configured");
  const draft = await draftMail(kind, document, organisationToday());
  const made = await handOver(call, await finishedMail(request().workId ?? newId(), draft, { document, to, lead: message }));
  if (!made.accepted) throw refusal("email_failed", "errors.invoicing.email_failed", { details: { reason: made.error } });
  return sentTo(to, made.refused);
}

/**
 * Sends an invoice, a credit note or a quote, before the request opens a transaction (money §13).
 * @throws 404; 409 `errors.invoicing.wrong_status`; the errors of `mail`
 */
export async function sendDocument(call: CallActor, kind: Rendered, id: string, wish: SendWish): Promise<MailOutcome> {
  const document = await seen(kind, id);
  if (!SENDABLE[kind].has(document.status)) throw wrongStatus();
  if (wish.email === false) return null;
  return mail(call, `invoicing.${kind}`, document, recipientsOf(wish.to, document.customer.email), wish.message);
}

/** A mailed reminder, and the holder of the turn to record it. */
export interface Reminded extends SentTo {
  holder: string;
}

/** An invoice to remind of: open and unsettled, never a credit note (money §13). */
async function payable(id: string) {
  const invoice = await seen("invoice", id);
  if (!isPayable(invoice)) throw wrongStatus();
  return invoice;
}

/**
 * Mails a reminder of an invoice, before the request opens a transaction. Of two concurrent calls the second waits, and counts the first
 * one's reminder as its own.
 * @returns null for that second one
 * @throws like `sendDocument`
 */
export async function remindOf(call: CallActor, id: string): Promise<Reminded | null> {
  const { reminder_count } = await payable(id);
  const holder = request().workId ?? newId();
  while (!(await inOwnTransaction(() => takeTurn(id, holder)))) await turnFree(id);
  try {
    const invoice = await payable(id);
    if (invoice.reminder_count === reminder_count)
      return { ...(await mail(call, "invoicing.reminder", invoice, recipientsOf(invoice.customer.email))), holder };
  } catch (error) {
    await endTurn(id, holder);
    throw error;
  }
  await endTurn(id, holder);
  return null;
}

const endTurn = (id: string, holder: string) => storeOutsideResult(async () => releaseTurn(id, holder));

const now = () => new Date().toISOString();
const sentLine = (sent: MailOutcome): Record<string, unknown> => (sent ? { ...sent } : { external: true });

/** Records in the running transaction that an invoice was sent; the daily job then no longer sends it. */
export async function noteInvoiceSent(id: string, sent: MailOutcome, by: { auto?: true } = {}): Promise<void> {
  await stampLeft("invoice", [id]);
  queueUpdate(Invoice, id, { sent_at: now(), auto_send: false });
  trail("invoice", id, "sent", { ...sentLine(sent), ...by });
}

/** Records in the running transaction that a quote was sent. */
export async function noteQuoteSent(id: string, sent: MailOutcome): Promise<void> {
  await stampLeft("quote", [id]);
  queueUpdate(Quote, id, { sent_at: now() });
  trail("quote", id, "sent", sentLine(sent));
}

/**
 * Records in the running transaction a reminder of an invoice that the caller has locked: uses up a step of the schedule and releases the
 * turn.
 * @param holder the holder of the turn
 * @param details the payload of the trail line
 */
export function noteReminded(
  { id, reminder_count }: Pick<InvoiceRow, "id" | "reminder_count">,
  holder: string,
  details: object,
): void {
  queueUpdate(Invoice, id, { reminder_count: reminder_count + 1, last_reminder_at: now() });
  releaseTurn(id, holder);
  trail("invoice", id, "reminder_sent", { ...details });
}
