import type { MailNow } from "../../../../core/mail/mail-now.ts";
import { loadSender, transportOf } from "../../../../core/mail/mail-sender.ts";
import { IN_REQUEST } from "../../documents/kept-files.ts";
import { draftMail, finishedMail } from "../../mails/document-mail.ts";
import { day, money } from "../../mails/mail-values.ts";
import type { DocumentRow } from "../../rendering/document-rows.ts";
import { printedLetter } from "./letter-page.ts";
import type { WordedNotice } from "./notice.ts";

const KIND = "dunning.notice";

/** Whether the running organisation has a transport for notices. */
export const canMailNotices = async (): Promise<boolean> => transportOf(await loadSender(), KIND) !== null;

/**
 * The complete mail of a notice: its text, the letter, and the invoice. Call it without an open transaction: it can take seconds.
 * @param id the same in every attempt at the same mail
 * @throws 404 for an invoice that the caller no longer sees; 503 `unavailable` when no PDF can be rendered
 */
export async function noticeMail(
  id: string,
  {
    document,
    notice,
    to,
  }: { document: Extract<DocumentRow, { document: "invoice" }>; notice: WordedNotice; to: readonly string[] },
  within = IN_REQUEST,
): Promise<MailNow> {
  const { currency } = document;
  const draft = await within.read(() => draftMail("invoicing.reminder", document, notice.sent_on));
  const variables = {
    subject: notice.subject,
    number: document.number,
    total: money(notice.total, currency),
    pay_by: day(notice.pay_by),
    announced: notice.announced === null ? null : money(notice.announced, currency),
  };
  const made = await finishedMail(id, { ...draft, kind: KIND, variables }, { document, to, lead: notice.text }, within);
  const { fileName, pdf } = await within.read(() => printedLetter(document, notice));
  const letter = { name: fileName, type: "application/pdf", base64: pdf.toString("base64") };
  return { ...made, files: [letter, ...(made.files ?? [])] };
}
