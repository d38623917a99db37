import { buffer } from "node:stream/consumers";
import { newId } from "../../../core/database/model.ts";
import { peek } from "../../../core/database/query.ts";
import { conflict, isApiError, refusal } from "../../../core/declare/errors.ts";
import { fileRow } from "../../../core/files/files.ts";
import { openStored } from "../../../core/files/storage.ts";
import { type CallActor, type HandedOver, handOver, type MailFile } from "../../../core/mail/mail-now.ts";
import { loadSender, transportOf } from "../../../core/mail/mail-sender.ts";
import { actOutside } from "../../../core/request/acts.ts";
import { request } from "../../../core/request/context.ts";
import type { Recipient, ReportRow } from "../models.ts";
import { seenReportBefore } from "../reports/report-rows.ts";
import { spanInWords } from "../runs/report-title.ts";
import { type Addressees, addresseesOf, type NamedRecipient } from "./recipients.ts";
import { type Addressee, claimMail, endMail, type MailEnd, type MailedDocument, mailEnds } from "./report-mails.ts";

const KIND = "reporting.report";

/** What a caller asks for with a send. */
export interface SendWish {
  /** Null or absent: the client's own recipients. */
  recipients?: readonly NamedRecipient[] | null | undefined;
  /** Whether it appears in the client's portal as well. */
  publish?: boolean | undefined;
  /** Whether a mail is repeated of which it is not known whether it left. */
  repeat_unknown?: boolean | undefined;
}

/** What a send did, for the transaction that records it. */
export interface Mailed {
  /** Recipients whom no address reaches. */
  unreachable: readonly Recipient[];
}

/** The PDF of a report. @throws 409 `errors.reporting.no_document` */
async function documentOf({ pdf_file_id }: ReportRow): Promise<MailFile> {
  const missing = () => conflict("errors.reporting.no_document");
  if (pdf_file_id === null) throw missing();
  try {
    const { name, type, backend, content_id: id } = await fileRow(pdf_file_id);
    const { bytes } = await openStored({ organisationId: request().organisation.id, id, backend });
    return { name, type, base64: (await buffer(bytes)).toString("base64") };
  } catch (error) {
    throw isApiError(error) && error.code === 404 ? missing() : error;
  }
}

/** How an answer of the mail module is stored. */
function endOf(handed: HandedOver): { end: MailEnd; reason: string | null } {
  if (handed.accepted) return { end: "sent", reason: null };
  const ends = { recipient: "bounced", mail: "failed", unanswered: "unknown" } as const;
  return { end: ends[handed.failure], reason: handed.error };
}

/** Makes the mails of a report: one for each recipient, in its language and the responsible person's name. */
const mailOf =
  (report: ReportRow, sender: string | null, file: MailFile) =>
  (id: string, { email, name }: Addressee) => {
    const { locale, title, company_name: client, period_start: start, period_end: end } = report;
    return {
      id,
      kind: KIND,
      to: { address: email, name, locale },
      fromName: sender,
      variables: { client, title, period: spanInWords(locale, { start, end }), sender },
      link: null,
      files: [file],
    } as const;
  };

/**
 * Mails each recipient who has no mail of this document, one after the other, and stores each end before the next begins. It stops at the first
 * mail that was not taken: the others would wait as long for a mail server that does not answer.
 */
async function mailEach(
  call: CallActor,
  document: MailedDocument,
  reachable: Addressees["reachable"],
  make: ReturnType<typeof mailOf>,
  repeatUnknown: boolean,
): Promise<void> {
  const holder = request().workId ?? newId();
  // Before the first claim: where access has moved on, nothing has begun.
  await actOutside(KIND);
  for (const addressee of reachable) {
    const id = await claimMail(document, addressee, holder, repeatUnknown);
    if (id === null) continue;
    const handed = await handOver(call, make(id, addressee)).catch(
      (error: Error): HandedOver => ({ accepted: false, error: error.message, failure: "unanswered" }),
    );
    const { end, reason } = endOf(handed);
    await endMail(id, end, reason);
    if (end === "failed" || end === "unknown") return;
  }
}

/** @throws 502 `email_failed` unless a mail left for every recipient whose address was not refused, and for one at least */
async function requireMailed(document: MailedDocument, { reachable }: Addressees): Promise<void> {
  const emails = reachable.map(({ email }) => email);
  const ends = await mailEnds(document, emails);
  const count = (status: MailEnd) => ends.filter((end) => end.status === status).length;
  if (count("sent") > 0 && count("failed") === 0 && ends.length === emails.length) return;
  const reason = ends.find(({ status }) => status === "failed") ?? ends.find(({ reason: said }) => said !== null);
  throw refusal("email_failed", "errors.reporting.email_failed", {
    details: {
      reason: reason?.reason ?? "errors.server",
      sent: count("sent"),
      bounced: count("bounced"),
      unknown: count("unknown"),
      recipients: emails.length,
    },
  });
}

/**
 * Mails a report before the request has a transaction. Recipients who have this document get no second mail, however often it is called and
 * whatever died in between.
 * @throws 404; 422 `errors.reporting.internal_not_sendable`; 409 `errors.reporting.not_ready`, `errors.reporting.no_document`; 400
 * `errors.reporting.no_recipient`, `email_not_configured`; 502 `email_failed`, after which a repeated call goes on with who has no mail
 */
export async function mailReport(call: CallActor, id: string, wish: SendWish): Promise<Mailed> {
  const report = await seenReportBefore(id);
  if (report.audience === "internal") throw refusal("validation", "errors.reporting.internal_not_sendable");
  if (report.status !== "ready" && report.status !== "sent") throw conflict("errors.reporting.not_ready");
  const addressees = await addresseesOf(report.company_id, wish.recipients);
  if (addressees.reachable.length === 0) throw refusal("validation", "errors.reporting.no_recipient");
  const file = await documentOf(report);
  if (!transportOf(await loadSender(peek), KIND)) throw refusal("email_not_configured");
  const document = { report_id: report.id, document_id: report.pdf_file_id as string };
  const make = mailOf(report, addressees.sender, file);
  await mailEach(call, document, addressees.reachable, make, wish.repeat_unknown ?? false);
  await requireMailed(document, addressees);
  return { unreachable: addressees.unreachable };
}

/**
 * Mails a report and records that it was sent: what `POST /reporting/reports/{id}/send` does, for a run that delivers by itself.
 * @param call `ctx.call` of an action, or `call` of a job's run, outside of its transactions
 * @throws as that endpoint
 */
export async function sendReport(call: CallActor, { id }: Pick<ReportRow, "id">, wish: SendWish = {}): Promise<void> {
  await call("reporting.sending.send", { report_id: id, body: wish });
}
