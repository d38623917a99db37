import type { ReportRow } from "../models.ts";
import { SUMMARY } from "../sections/summary.ts";
import type { Snapshot } from "../snapshot.ts";
import { type FrozenLook, lookOf } from "./look.ts";
import { renderReport } from "./render.ts";
import { type ReportContent, reportView } from "./report-view.ts";

export { type FrozenLook, lookOf };

/** The fields of a stored report that make its document. */
export type DrawnReport = Pick<ReportRow, "data_snapshot" | "look" | "narrative">;

/** Joins a report's frozen figures with its prose; a section without prose prints only figures, and a summary without either nothing. */
export const contentOf = ({ sections, ...snapshot }: Snapshot, narrative: Readonly<Record<string, string>>): ReportContent => ({
  ...snapshot,
  sections: sections
    .map((section) => ({
      ...section,
      prose: Object.hasOwn(narrative, section.key) ? (narrative[section.key] as string) : "",
    }))
    .filter(({ key, prose, data }) => key !== SUMMARY || prose.trim() !== "" || data.table),
});

/**
 * Renders a stored report as HTML. The same row gives the same bytes, even if template, brand or figures have changed since. Call it in a
 * `read` of the organisation: a template's own body runs in that organisation's threads.
 * @throws Error for a report whose figures or look are not frozen yet, and for a chart that cannot be drawn (workspace-reporting §1.5)
 * @throws TaskFailed with the engine's message, if the template's own body cannot be rendered
 */
export async function reportHtml({ data_snapshot: snapshot, look, narrative }: DrawnReport): Promise<string> {
  if (snapshot === null || look === null) throw new Error("the figures and the look of the report are not frozen yet");
  const frozen = look as FrozenLook;
  return renderReport(reportView(contentOf(snapshot, narrative), frozen, frozen.made_on), frozen);
}
