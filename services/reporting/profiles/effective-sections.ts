import type { ReportAudience, ReportSection } from "../../../core/declare/report-sections.ts";
import { arrangedSections, type Layout, sectionsFor } from "../sections/layout.ts";

const PLAIN: Layout = { sections: [] };

/**
 * Whether each section of the catalogue is printed for a client, in the catalogue's order. The client template decides on sections that
 * client reports can have, the internal template on the rest.
 * @param layouts of the client's templates; without one nothing differs from the catalogue
 * @param own the client's choice by key
 */
export function effectiveSections(
  catalogue: readonly Pick<ReportSection, "key" | "audience">[],
  layouts: Readonly<Partial<Record<ReportAudience, Layout>>>,
  own: Readonly<Record<string, boolean>>,
): Record<string, boolean> {
  const printed = (audience: ReportAudience) =>
    new Set(arrangedSections(sectionsFor(catalogue, audience), layouts[audience] ?? PLAIN, own).map(({ key }) => key));
  const [client, internal] = [printed("client"), printed("internal")];
  return Object.fromEntries(
    catalogue.map(({ key, audience }) => [key, audience === "internal" ? internal.has(key) : client.has(key)]),
  );
}
