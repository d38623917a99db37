import type { ReportRow } from "../models.ts";
import type { ReportWarning } from "../snapshot.ts";
import { beginRun, failReport, heldReport, RunLost, reportOfRun } from "./run-rows.ts";
import { type ReportRun, RUN_STEPS, type RunStep } from "./run-steps.ts";

/** Longest duration of a run from its beginning, in milliseconds (workspace-reporting §1.5). */
export const RUN_LIMIT = 900_000;

/** The step after the last finished one. */
function stepAfter(ended: string | null): { name: string; step: RunStep } | null {
  const at = RUN_STEPS.findIndex(([name]) => name === ended) + 1;
  const [name, step] = RUN_STEPS[at] ?? [];
  return name && step ? { name, step } : null;
}

/** Whether a run has exceeded its time; once its report is ready, only delivery remains and no limit applies. */
const isOverdue = ({ status, run_begun_at }: ReportRow): boolean =>
  status === "generating" && run_begun_at !== null && Date.now() - Date.parse(run_begun_at) > RUN_LIMIT;

/** Ends a run that cannot make its report; a ready report stays ready. */
const giveUp = (run: ReportRun, warning: ReportWarning): Promise<void> =>
  run.write(async () => {
    const report = await heldReport(run.payload);
    if (report.status === "generating") await failReport(report, [warning]);
  });

/**
 * Makes one report, continuing after the last finished step, so another node can resume after a crash. A run that has lost its report, to a
 * newer run or a deletion, does nothing.
 */
export async function makeReport(run: ReportRun): Promise<void> {
  try {
    await run.write(async () => beginRun(run.payload));
    while (!run.signal.aborted) {
      const report = await run.read(() => reportOfRun(run.payload));
      const next = report && stepAfter(report.run_step);
      if (!next) return;
      if (isOverdue(report)) return await giveUp(run, { code: "run_timeout", detail: next.name });
      try {
        await next.step(run, report);
      } catch (error) {
        if (error instanceof RunLost || !run.lastAttempt) throw error;
        run.logger.warn(
          { event: "reporting.report_not_made", report: report.id, step: next.name, error: (error as Error).message },
          "a report could not be made",
        );
        return await giveUp(run, { code: "document_failed", detail: next.name });
      }
    }
  } catch (error) {
    if (!(error instanceof RunLost)) throw error;
  }
}
