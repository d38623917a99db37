import { isDeepStrictEqual } from "node:util";
import { newId } from "../../../core/database/model.ts";
import { queryOutside } from "../../../core/database/query.ts";
import { queueUpdate } from "../../../core/database/write.ts";
import { conflict, invalid } from "../../../core/errors/errors.ts";
import { removeFile } from "../../../core/files/files.ts";
import type { CallActor } from "../../../core/mail/mail-now.ts";
import { request } from "../../../core/request/context.ts";
import { trail } from "../../../core/trail/trail.ts";
import { Report, type ReportRow } from "../models.ts";
import { writeProse } from "../prose/write-prose.ts";
import type { ReportWarning, Snapshot } from "../snapshot.ts";
import { withdrawReport } from "./publishing.ts";
import { kindOf } from "./report-kind.ts";
import { seenReportBefore } from "./report-rows.ts";
import { requireUnsent } from "./unsent.ts";

/** The model's result for one section. */
export interface Rewritten {
  /** Null if it wrote nothing; the warnings say why. */
  text: string | null;
  warnings: ReportWarning[];
  /** The figures that it is about. */
  snapshot: Snapshot;
  /** The section's text when the model began. */
  before: string | undefined;
}

/** Whether a warning comes from prose; new prose replaces such warnings. */
const isOfProse = ({ code }: ReportWarning): boolean => code.startsWith("ai_") || code === "banned_phrase";

/** Changes a report's texts in the running transaction, removes its outdated PDF and withdraws it from the portal. */
function storeTexts(
  report: ReportRow,
  values: Pick<ReportRow, "narrative" | "edited_sections"> & { warnings?: ReportWarning[] },
): void {
  queueUpdate(Report, report.id, { ...values, pdf_file_id: null });
  if (report.pdf_file_id !== null) removeFile(report.pdf_file_id);
  withdrawReport(report);
}

/**
 * Stores texts by a person, in the running transaction.
 * @throws 409 once the report was sent, 422 with each key that is not a section of the report
 */
export async function editNarrative(report: ReportRow, texts: Readonly<Record<string, string>>): Promise<void> {
  await requireUnsent(report);
  const printed = new Set(report.sections.map(({ key }) => key));
  const keys = Object.keys(texts);
  const unknown = keys.filter((key) => !printed.has(key));
  if (unknown.length > 0) throw invalid(Object.fromEntries(unknown.map((key) => [key, "errors.validation"])));
  if (keys.length === 0) return;
  const edited_sections = [...new Set([...report.edited_sections, ...keys])];
  storeTexts(report, { narrative: { ...report.narrative, ...texts }, edited_sections });
  trail(kindOf(report.audience), report.id, "text_edited", { sections: keys });
}

/**
 * Has the model rewrite one section of a report, before the request has a transaction.
 * @throws 404; 409 once the report was sent and during a run; 422 for a section without data
 */
export async function rewriteSection(call: CallActor, reportId: string, key: string): Promise<Rewritten> {
  const report = await seenReportBefore(reportId);
  await requireUnsent(report, queryOutside);
  const snapshot = report.data_snapshot;
  if (!snapshot?.sections.some((section) => section.key === key)) throw invalid({ section_key: "errors.validation" });
  if (report.status === "generating") throw conflict("errors.reporting.not_ready");
  const about = { id: report.id, run_id: request().workId ?? newId() };
  const { narrative, warnings } = await writeProse(call, { report: about, snapshot, sectionKeys: [key] });
  return { text: narrative[key] ?? null, warnings, snapshot, before: report.narrative[key] };
}

/**
 * Stores the model's text, in the running transaction.
 * @throws 409 if the report was sent, its figures changed, or a person wrote the section, meanwhile
 */
export async function storeRewritten(report: ReportRow, key: string, { before, ...written }: Rewritten): Promise<void> {
  const { text, warnings, snapshot } = written;
  await requireUnsent(report);
  if (report.narrative[key] !== before || !isDeepStrictEqual(report.data_snapshot, snapshot))
    throw conflict("errors.reporting.not_ready");
  const kept = [...report.warnings.filter((warning) => !isOfProse(warning)), ...warnings];
  if (text === null) {
    queueUpdate(Report, report.id, { warnings: kept });
    return;
  }
  const edited_sections = report.edited_sections.filter((edited) => edited !== key);
  storeTexts(report, { narrative: { ...report.narrative, [key]: text }, edited_sections, warnings: kept });
  trail(kindOf(report.audience), report.id, "text_rewritten", { sections: [key] });
}
