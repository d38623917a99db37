import { queueUpdate } from "../../../core/database/write.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { trail } from "../../../core/trail/trail.ts";
import { Report, type ReportRow } from "../models.ts";
import { eventOf, kindOf } from "./report-kind.ts";

const WITH_DOCUMENT = new Set<ReportRow["status"]>(["ready", "sent"]);

/** @throws 409 for a report without a finished run: the portal never shows an empty or incomplete one */
export function requirePublishable({ status }: Pick<ReportRow, "status">): void {
  if (!WITH_DOCUMENT.has(status)) throw conflict("errors.reporting.not_ready");
}

/** Publishes a client's report in the portal, in the running transaction; a published one stays unchanged. */
export function publishReport(report: ReportRow): void {
  if (report.published_at !== null) return;
  queueUpdate(Report, report.id, { published_at: new Date().toISOString(), is_held: false });
  trail(kindOf(report.audience), report.id, "published");
  emit("report.published", "report", report.id, eventOf(report));
}

/** Withdraws a report from the portal, in the running transaction, until it is published or sent; runs no longer publish it. */
export function withdrawReport({ id, audience, published_at }: ReportRow): void {
  if (published_at === null) return;
  queueUpdate(Report, id, { published_at: null, is_held: true });
  trail(kindOf(audience), id, "withdrawn");
}
