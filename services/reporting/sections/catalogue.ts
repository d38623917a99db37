import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import type { ReportSection } from "../../../core/declare/report-sections.ts";
import { request } from "../../../core/request/context.ts";

/** The sections declared by the organisation's enabled modules, in order; this module names none itself (workspace-reporting §1.3). */
export function offeredSections(): ReportSection[] {
  const { enabledModules } = request().organisation;
  return catalogue().reportSections.filter(({ module }) => module === null || enabledModules.includes(module));
}
