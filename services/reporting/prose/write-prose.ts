import type { CallActor } from "../../../core/mail/mail-now.ts";
import { currentRequest } from "../../../core/request/context.ts";
import type { Snapshot } from "../snapshot.ts";
import type { TurnAnswer } from "./turn-rows.ts";

/**
 * Longest time for writing prose, in milliseconds: the model's answer plus a minute to ask and store. An action that waits for it declares
 * at least this `timeout`.
 */
export const LONGEST_PROSE = 300_000;

/**
 * Has a model write the prose of a report, in one turn. A repeated call for the same report and run returns the stored answer without using
 * tokens; a started turn whose answer is unknown is not repeated but ends as the warning `ai_failed` (workspace-reporting §1.5).
 * @param call `ctx.call` of an action that declares `acts: "outside"`, or `call` of a job's run
 * @param asked the stored report with its run, its frozen figures, and the keys of the sections to write
 * @returns texts by section, and warnings for the reader; sections without prose are absent
 * @throws Error inside an open transaction: the model is slow
 */
export async function writeProse(
  call: CallActor,
  {
    report,
    snapshot,
    sectionKeys,
  }: { report: { id: string; run_id: string }; snapshot: Snapshot; sectionKeys: readonly string[] },
): Promise<TurnAnswer> {
  if (currentRequest()?.transaction) throw new Error("prose must not be written inside a transaction");
  const body = { report_id: report.id, run_id: report.run_id, snapshot, section_keys: sectionKeys };
  return (await call("reporting.prose.write", { body })) as TurnAnswer;
}
