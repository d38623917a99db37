import { renderTemplate } from "../../../mixins/documents/engine.ts";
import { sanitisedBody } from "../../../mixins/documents/sanitise.ts";
import { picturedCharts } from "./drawn-view.ts";
import type { ReportView } from "./report-view.ts";

/** A body of an organisation's own, and what it is to print. */
export interface CustomBody {
  html: string;
  view: ReportView;
}

/**
 * The body of a template's own making, without anything that runs or loads (workspace-reporting §1.2). A task for threads.
 * @throws Error whose message is the engine's
 */
export default ({ html, view }: CustomBody): string => sanitisedBody(renderTemplate(html, picturedCharts(view)));
