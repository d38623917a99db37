import { differences, lock, queueUpdate } from "../../../core/database/write.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { joinedAddresses } from "../../../core/mail/addresses.ts";
import { trail } from "../../../core/trail/trail.ts";
import { storeOutsideResult } from "../../../mixins/tenancy.ts";
import { Report, type SentTo } from "../models.ts";
import { publishReport } from "../reports/publishing.ts";
import { eventOf } from "../reports/report-kind.ts";
import type { Mailed } from "./recipients.ts";
import { mailsOf } from "./report-mails.ts";

/** The recipients of a report as it shows them: each with its newest mail's outcome, then those without an address. */
async function recipientsOf(id: string, unreachable: Mailed["unreachable"]): Promise<SentTo[]> {
  const mails = await mailsOf(id);
  return [
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
}

/** Records the outcomes of a send that failed, in its own transaction: the report shows them, and its status stays. */
export const noteOutcomes = (id: string, { unreachable }: Mailed): Promise<void> =>
  storeOutsideResult(async () => {
    const row = await lock(Report, id);
    const changed = row && differences(row, { sent_to: await recipientsOf(id, unreachable) });
    if (changed) queueUpdate(Report, id, changed);
  });

/** The instant of the newest mail that was accepted, in milliseconds since the epoch. */
const newestMail = (recipients: readonly SentTo[]): number =>
  Math.max(0, ...recipients.flatMap(({ sent_at }) => (sent_at === null ? [] : [Date.parse(sent_at)])));

/**
 * Records in the running transaction that a report was mailed: recipients with outcomes, status, and the event. A send that reached nobody
 * new keeps the instant and trail of the earlier send.
 * @throws 404 for a report deleted meanwhile
 */
export async function noteSent(id: string, { unreachable }: Mailed, publish: boolean): Promise<void> {
  const row = await lock(Report, id);
  if (!row) throw notFound();
  const recipients = await recipientsOf(id, unreachable);
  const newest = newestMail(recipients);
  const sentAt = new Date(newest).toISOString();
  // Of two concurrent sends, the first to record covers the mails of both.
  const isNew = row.status === "ready" || row.sent_at === null || newest > Date.parse(row.sent_at);
  const changed = differences(row, {
    sent_to: recipients,
    ...(isNew && { sent_at: sentAt }),
    // A report being remade keeps its run's status.
    ...(row.status === "ready" && { status: "sent" as const }),
  });
  if (changed) queueUpdate(Report, id, changed);
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
    sent_at: sentAt,
    sent_count: of("sent").length,
    bounced_count: bounced.length,
  });
}
