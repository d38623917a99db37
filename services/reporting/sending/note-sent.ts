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
 * Records in the running transaction that a report was mailed: recipients with outcomes, status, and the event. A send that reached nobody
 * new keeps the instant and trail of the earlier send.
 * @throws 404 for a report deleted meanwhile
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
  // Of two concurrent sends, the first to record covers the mails of both.
  const recorded = new Set(row.sent_to.map(mailKey));
  const isNew = row.status === "ready" || recipients.some((one) => one.delivery === "sent" && !recorded.has(mailKey(one)));
  const changed = differing(row, {
    sent_to: recipients,
    ...(isNew && { sent_at: now }),
    // A report being remade keeps its run's status.
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
