import { newId } from "../../../../core/database/model.ts";
import { conflict, notFound, refusal } from "../../../../core/errors/errors.ts";
import { type CallActor, handOver } from "../../../../core/mail/mail-now.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import { isPayable } from "../../../../mixins/payments/payable.ts";
import { inOwnTransaction, storeOutsideResult } from "../../../../mixins/tenancy.ts";
import { mailedDocument } from "../../mails/document-mail.ts";
import { recipientsOf, type SentTo, sentTo } from "../../mails/mail-values.ts";
import { releaseTurn, takeTurn, turnFree } from "../../mails/reminder-turn.ts";
import { dunnedInvoice } from "./facts.ts";
import { nextNoticeOf, type WordedNotice } from "./notice.ts";
import { canMailNotices, noticeMail } from "./notice-mail.ts";

/** A notice that left, and the holder of the turn to record it. */
export interface SentNow {
  notice: WordedNotice;
  sent: SentTo | null;
  holder: string;
}

/** The caller's options for a notice. */
export interface NoticeWish {
  to?: string | null | undefined;
  /** False: it was sent by other means. */
  email?: boolean | undefined;
}

/**
 * The next notice of an invoice as it would leave today, with its document.
 * @throws 404; 409 `errors.invoicing.wrong_status` for an invoice that is not open and late; `errors.dunning.no_level` without a level left
 */
export async function noticeToday(id: string, byPost: boolean) {
  const [{ invoice, settings }, document] = [await dunnedInvoice(id), await mailedDocument("invoice", id)];
  if (!invoice || !document) throw notFound();
  const on = organisationToday();
  if (!isPayable(document) || invoice.due_date === null || invoice.due_date >= on)
    throw conflict("errors.invoicing.wrong_status");
  const notice = nextNoticeOf(invoice, settings, { on, byPost, brand: document.brand });
  if (!notice) throw conflict("errors.dunning.no_level");
  return { notice, document };
}

async function deliver(call: CallActor, id: string, { to: wanted, email = true }: NoticeWish) {
  const { notice, document } = await noticeToday(id, !email);
  if (!email) return { notice, sent: null };
  const to = recipientsOf(wanted, document.customer.email);
  if (to.length === 0) throw refusal("validation", "errors.invoicing.no_recipient");
  if (!(await canMailNotices())) throw refusal("email_not_configured");
  const made = await handOver(call, await noticeMail(request().workId ?? newId(), { document, notice, to }));
  if (!made.accepted) throw refusal("email_failed", "errors.invoicing.email_failed", { details: { reason: made.error } });
  return { notice, sent: sentTo(to, made.refused) };
}

/**
 * Sends the next notice of an invoice, before the request opens a transaction. Of two concurrent calls the second waits, and counts the
 * first one's notice as its own.
 * @returns null for that second one
 * @throws like `noticeToday`; 400 `errors.invoicing.no_recipient`, `email_not_configured`; 502 `email_failed`; 503 without a printer
 */
export async function sendNextNotice(call: CallActor, id: string, wish: NoticeWish): Promise<SentNow | null> {
  const { notice: first } = await noticeToday(id, wish.email === false);
  const holder = request().workId ?? newId();
  while (!(await inOwnTransaction(() => takeTurn(id, holder)))) await turnFree(id);
  try {
    const { invoice } = await dunnedInvoice(id);
    if (invoice?.dunning_level === first.level - 1) return { ...(await deliver(call, id, wish)), holder };
  } catch (error) {
    await endTurn(id, holder);
    throw error;
  }
  await endTurn(id, holder);
  return null;
}

const endTurn = (id: string, holder: string) => storeOutsideResult(async () => releaseTurn(id, holder));
