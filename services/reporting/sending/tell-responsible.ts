import type { ReportRow } from "../models.ts";

/** Notifies the responsible person of a report's client, in the running transaction. */
export async function tellResponsible(_report: ReportRow, _what: "failed" | "section_failed"): Promise<void> {}
