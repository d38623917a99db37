import { renderTemplate } from "../../../mixins/documents/engine.ts";
import { sanitisedBody } from "../../../mixins/documents/sanitise.ts";
import { picturedCharts } from "./drawn-view.ts";
import type { ReportView } from "./report-view.ts";

/** An organisation's own body, and the view to print. */
export interface CustomBody {
  html: string;
  view: ReportView;
}

/**
 * Renders an organisation's own body, without anything that runs or loads (workspace-reporting §1.2). A task for threads.
 * @throws Error with the engine's message
 */
export default ({ html, view }: CustomBody): string => sanitisedBody(renderTemplate(html, picturedCharts(view)));
