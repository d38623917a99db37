import type { CallActor } from "../../../core/mail/mail-now.ts";
import type { Recipient, ReportRow } from "../models.ts";

/** Mails a report to its recipients. @throws Error where it cannot be mailed */
export async function sendReport(
  _call: CallActor,
  _report: ReportRow,
  _wish: { recipients?: readonly Recipient[]; publish: boolean },
): Promise<void> {
  throw new Error("reports cannot be mailed");
}
