import { trail } from "../../../core/database/trail.ts";
import { differing, lock, update } from "../../../core/database/write.ts";
import { notFound } from "../../../core/declare/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { joinedAddresses } from "../../../core/mail/addresses.ts";
import { Report, type SentTo } from "../models.ts";
import { publishReport } from "../reports/publishing.ts";
import { eventOf } from "../reports/report-kind.ts";
import { mailsOf } from "./report-mails.ts";
import type { Mailed } from "./send-report.ts";

const mailKey = ({ email, sent_at }: SentTo): string => `${email} ${sent_at}`;

/**
 * Records in the running transaction that a report was mailed: its recipients with how each mail ended, its status, and the event. A send that
 * mailed nobody new leaves instant and trail of a report that was sent before.
 * @throws 404 for a report that was deleted meanwhile
 */
export async function noteSent(id: string, { unreachable }: Mailed, publish: boolean): Promise<void> {
  const row = await lock(Report, id);
  if (!row) throw notFound();
  const now = new Date().toISOString();
  const mails = await mailsOf(id);
  const recipients: SentTo[] = [
    ...mails.map(({ contact_id, email, name, status, reason, sent_at }) => {
      const delivery = status === "sending" ? "unknown" : status;
      return { contact_id, email, name, delivery, reason, sent_at };
    }),
    ...unreachable.map((recipient) => ({
      ...recipient,
      delivery: "unreachable" as const,
      reason: "errors.reporting.no_recipient",
      sent_at: null,
    })),
  ];
  // Of two sends at once the one that records first tells of the mails of both.
  const recorded = new Set(row.sent_to.map(mailKey));
  const isNew = row.status === "ready" || recipients.some((one) => one.delivery === "sent" && !recorded.has(mailKey(one)));
  const changed = differing(row, {
    sent_to: recipients,
    ...(isNew && { sent_at: now }),
    // A report that is being made again keeps the status of that.
    ...(row.status === "ready" && { status: "sent" as const }),
  });
  if (changed) update(Report, id, changed);
  if (publish) publishReport(row);
  if (!isNew) return;
  const of = (delivery: SentTo["delivery"]) =>
    recipients.flatMap((recipient) => (recipient.delivery === delivery && recipient.email !== null ? [recipient.email] : []));
  const bounced = of("bounced");
  trail("report", id, "sent", {
    to: joinedAddresses(of("sent")),
    ...(bounced.length > 0 && { bounced: joinedAddresses(bounced) }),
  });
  emit("report.sent", "report", id, {
    ...eventOf(row),
    sent_at: now,
    sent_count: of("sent").length,
    bounced_count: bounced.length,
  });
}
