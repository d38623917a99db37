import type { CallActor } from "../../../core/mail/mail-now.ts";
import type { ReportWarning, Snapshot } from "../reports/snapshot.ts";

/** The prose of a report's sections. Without a model the numbers print alone, and a warning says why. */
export async function writeProse(
  _call: CallActor,
  _asked: { report: { id: string; run_id: string }; snapshot: Snapshot; sectionKeys: readonly string[] },
): Promise<{ narrative: Record<string, string>; warnings: ReportWarning[] }> {
  return { narrative: {}, warnings: [{ code: "ai_unavailable", detail: null }] };
}
