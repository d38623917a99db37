import { buffer } from "node:stream/consumers";
import { newId } from "../../../core/database/model.ts";
import { queryOutside } from "../../../core/database/query.ts";
import { conflict, isApiError, refusal } from "../../../core/errors/errors.ts";
import { fileRow } from "../../../core/files/files.ts";
import { openStored } from "../../../core/files/storage.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { type CallActor, type HandedOver, handOver, type MailFile } from "../../../core/mail/mail-now.ts";
import { loadSender, transportOf } from "../../../core/mail/mail-sender.ts";
import { actOutside } from "../../../core/outbound/acts.ts";
import { request } from "../../../core/request/context.ts";
import type { ReportRow } from "../models.ts";
import { spanInWords } from "../rendering/report-title.ts";
import { seenReportBefore } from "../reports/report-rows.ts";
import { noteOutcomes } from "./note-sent.ts";
import { type Addressees, addresseesOf, type Mailed, type NamedRecipient } from "./recipients.ts";
import { claimMail, endMail, type MailEnd, type MailedDocument, mailEnds } from "./report-mails.ts";

const KIND = "reporting.report";

/** The options of a send. */
export interface SendWish {
  /** Null or absent for the client's own recipients. */
  recipients?: readonly NamedRecipient[] | null | undefined;
  /** Whether to publish it in the client's portal as well. */
  publish?: boolean | undefined;
  /** Whether to repeat mails with an unknown outcome. */
  repeat_unknown?: boolean | undefined;
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

/** The stored outcome for the mail module's answer. */
function endOf(handed: HandedOver): { end: MailEnd; reason: string | null } {
  if (handed.accepted) return { end: "sent", reason: null };
  const ends = { recipient: "bounced", mail: "failed", unanswered: "unknown" } as const;
  return { end: ends[handed.failure], reason: handed.error };
}

/** Builds a report's mails: one per recipient, in the report's language and the responsible person's name. */
const mailOf =
  (report: ReportRow, sender: string | null, file: MailFile) =>
  (id: string, { email, name, greeting }: Addressees["reachable"][number]) => {
    const { locale, title, company_name: client, period_start: start, period_end: end } = report;
    return {
      id,
      kind: KIND,
      to: { address: email, name, greeting, locale },
      fromName: sender,
      variables: { client, title, period: spanInWords(locale, { start, end }), sender },
      link: null,
      files: [file],
    } as const;
  };

/**
 * Mails each recipient without a mail of this document, one by one, and stores each outcome before the next. Stops at the first mail that
 * was not accepted: an unresponsive mail server would delay all others as long.
 */
async function mailEach(
  call: CallActor,
  document: MailedDocument,
  reachable: Addressees["reachable"],
  make: ReturnType<typeof mailOf>,
  repeatUnknown: boolean,
): Promise<void> {
  const holder = request().workId ?? newId();
  // Before the first claim: if access has changed, nothing has started yet.
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

/**
 * @throws 502 `email_failed` unless a mail was sent, none failed, and every recipient has an outcome; 409 `errors.reporting.no_document`
 * if the report lost this document before every mail left
 */
async function requireMailed(document: MailedDocument, { reachable }: Addressees): Promise<void> {
  const emails = reachable.map(({ email }) => email);
  const ends = await mailEnds(document, emails);
  const count = (status: MailEnd) => ends.filter((end) => end.status === status).length;
  if (count("sent") > 0 && count("failed") === 0 && ends.length === emails.length) return;
  // Only a failed or unknown mail stops the others; else the report has another document now.
  if (ends.length < emails.length && count("failed") + count("unknown") === 0) throw conflict("errors.reporting.no_document");
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
 * Mails a report before the request has a transaction. Recipients who already have this document get no second mail, however often it is
 * called and whatever crashed in between.
 * @throws 404; 412; 422 `errors.reporting.internal_not_sendable`; 409 `errors.reporting.not_ready`, `errors.reporting.no_document`; 400
 * `errors.reporting.no_recipient`, `email_not_configured`; 502 `email_failed`, after which a repeated call continues with the remaining
 * recipients
 */
export async function mailReport(call: CallActor, id: string, wish: SendWish): Promise<Mailed> {
  const report = await seenReportBefore(id);
  requireMatch(report.version);
  if (report.audience === "internal") throw refusal("validation", "errors.reporting.internal_not_sendable");
  if (report.status !== "ready" && report.status !== "sent") throw conflict("errors.reporting.not_ready");
  const addressees = await addresseesOf(report.company_id, wish.recipients);
  if (addressees.reachable.length === 0) throw refusal("validation", "errors.reporting.no_recipient");
  const file = await documentOf(report);
  if (!transportOf(await loadSender(queryOutside), KIND)) throw refusal("email_not_configured");
  const document = { report_id: report.id, document_id: report.pdf_file_id as string };
  const make = mailOf(report, addressees.sender, file);
  await mailEach(call, document, addressees.reachable, make, wish.repeat_unknown ?? false);
  const mailed = { unreachable: addressees.unreachable };
  await requireMailed(document, addressees).catch(async (error: Error) => {
    await noteOutcomes(report.id, mailed);
    throw error;
  });
  return mailed;
}

/**
 * Mails a report and records it, as `POST /reporting/reports/{id}/send` does, for a run that delivers automatically.
 * @param call `ctx.call` of an action, or `call` of a job's run, outside its transactions
 * @throws as that endpoint
 */
export async function sendReport(call: CallActor, { id }: Pick<ReportRow, "id">, wish: SendWish = {}): Promise<void> {
  await call("reporting.sending.send", { report_id: id, body: wish });
}
