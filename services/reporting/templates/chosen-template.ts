import type { ReportAudience } from "../../../core/declare/report-sections.ts";

interface Candidate {
  id: string;
  audience: string;
  is_default: boolean;
  created_at: string;
}

/** Orders templates by age, older first, then by id. */
const older = (a: Candidate, b: Candidate): number =>
  a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id < b.id ? -1 : 1;

/**
 * The template of a client's reports for an audience: the client's own, else the default, else the oldest of that audience; undefined for
 * the plain shipped design (workspace-reporting §1.2).
 */
export function chosenTemplate<T extends Candidate>(
  templates: readonly T[],
  audience: ReportAudience,
  own: string | null,
): T | undefined {
  const fitting = templates.filter((template) => template.audience === audience);
  return fitting.find(({ id }) => id === own) ?? fitting.find(({ is_default }) => is_default) ?? fitting.toSorted(older)[0];
}
