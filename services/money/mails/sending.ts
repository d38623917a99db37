import { newId } from "../../../core/database/model.ts";
import { trail } from "../../../core/database/trail.ts";
import { update } from "../../../core/database/write.ts";
import { conflict, notFound, refusal } from "../../../core/declare/errors.ts";
import { type CallActor, handOver } from "../../../core/mail/mail-now.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { inOwnTransaction, keepTold } from "../../../mixins/tenancy.ts";
import { isPayable } from "../calculation/settlement.ts";
import { Invoice, type InvoiceRow, Quote } from "../documents/models.ts";
import type { DocumentRow, Rendered } from "../rendering/document-rows.ts";
import { canMail, draftMail, finishedMail, mailedDocument } from "./document-mail.ts";
import { type InvoicingMail, recipientsOf, type SentTo, sentTo } from "./mail-values.ts";
import { releaseTurn, takeTurn, turnFree } from "./reminder-turn.ts";

/** What a caller asks for with a send. */
export interface SendWish {
  to?: string | null | undefined;
  message?: string | null | undefined;
  /** False: it was sent outside of the service. */
  email?: boolean | undefined;
}

/** Who got a mail; null for a document that was sent outside of the service. */
export type Sent = SentTo | null;

const SENDABLE: Record<Rendered, ReadonlySet<string>> = { invoice: new Set(["open", "paid"]), quote: new Set(["open"]) };
const wrongStatus = () => conflict("errors.invoicing.wrong_status");

async function seen<K extends Rendered>(kind: K, id: string): Promise<Extract<DocumentRow, { document: K }>> {
  const document = await mailedDocument(kind, id);
  if (!document) throw notFound();
  return document;
}

/**
 * Mails a document while the caller waits; nothing is written.
 * @throws 400 `errors.invoicing.no_recipient`, `email_not_configured`; 503 where no PDF can be made; 502 `email_failed` where the mail is not taken
 */
async function mail(call: CallActor, kind: InvoicingMail, document: DocumentRow, to: readonly string[], message?: string | null) {
  if (to.length === 0) throw refusal("validation", "errors.invoicing.no_recipient");
  if (!(await canMail(kind))) throw refusal("email_not_configured");
  const draft = await draftMail(kind, document, organisationToday());
  const made = await handOver(call, await finishedMail(request().workId ?? newId(), draft, { to, lead: message }));
  if (!made.accepted) throw refusal("email_failed", "errors.invoicing.email_failed", { details: { reason: made.error } });
  return sentTo(to, made.refused);
}

/**
 * Sends an invoice, a credit note or a quote, before the request has a transaction (money §13).
 * @throws 404; 409 `errors.invoicing.wrong_status`; what `mail` throws
 */
export async function sendDocument(call: CallActor, kind: Rendered, id: string, wish: SendWish): Promise<Sent> {
  const document = await seen(kind, id);
  if (!SENDABLE[kind].has(document.status)) throw wrongStatus();
  if (wish.email === false) return null;
  return mail(call, `invoicing.${kind}`, document, recipientsOf(wish.to, document.customer.email), wish.message);
}

/** A reminder that was mailed, and who has the turn to note it. */
export interface Reminded extends SentTo {
  holder: string;
}

/** An invoice to remind of: open and not settled, credit notes never (money §13). */
async function payable(id: string) {
  const invoice = await seen("invoice", id);
  if (!isPayable(invoice)) throw wrongStatus();
  return invoice;
}

/**
 * Reminds of an invoice before the request has a transaction. Of two calls at once the second waits: a reminder that was mailed meanwhile is
 * its reminder as well.
 * @returns null for that second one
 * @throws as `sendDocument`
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

const endTurn = (id: string, holder: string) => keepTold(async () => releaseTurn(id, holder));

const now = () => new Date().toISOString();
const sentLine = (sent: Sent): Record<string, unknown> => (sent ? { ...sent } : { external: true });

/** Notes in the running transaction that an invoice was sent; the daily job then has nothing to send any more. */
export function noteInvoiceSent(id: string, sent: Sent, by: { auto?: true } = {}): void {
  update(Invoice, id, { sent_at: now(), auto_send: false });
  trail("invoice", id, "sent", { ...sentLine(sent), ...by });
}

/** Notes in the running transaction that a quote was sent. */
export function noteQuoteSent(id: string, sent: Sent): void {
  update(Quote, id, { sent_at: now() });
  trail("quote", id, "sent", sentLine(sent));
}

/**
 * Notes in the running transaction that an invoice, which the caller has locked, was reminded of: a step of the schedule is used up, and
 * the turn to remind is free again.
 * @param holder who has the turn
 * @param told what the line of the trail says
 */
export function noteReminded(
  { id, reminder_count }: Pick<InvoiceRow, "id" | "reminder_count">,
  holder: string,
  told: object,
): void {
  update(Invoice, id, { reminder_count: reminder_count + 1, last_reminder_at: now() });
  releaseTurn(id, holder);
  trail("invoice", id, "reminder_sent", { ...told });
}
