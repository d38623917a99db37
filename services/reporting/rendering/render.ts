import { request } from "../../../core/request/context.ts";
import { offThread } from "../../../core/threads/off-thread.ts";
import { renderTemplate } from "../../../mixins/documents/engine.ts";
import { CUSTOM, type Design, designOf } from "../designs/designs.ts";
import type { CustomBody } from "./custom-body.task.ts";
import { inlineCharts } from "./drawn-view.ts";
import { framed } from "./frame.ts";
import type { ReportView } from "./report-view.ts";

/** The part of a template that says how a report looks. */
export interface DesignChoice {
  design: string;
  custom_html: string | null;
  custom_css: string | null;
}

const customBody = offThread<CustomBody, string>(new URL("./custom-body.task.ts", import.meta.url));

/** The body and the style sheet of a report; a custom design with an empty body is the standard one. */
async function designed({ design, custom_html: html, custom_css: css }: DesignChoice, view: ReportView): Promise<Design> {
  // What an organisation wrote runs off the request's thread: it must not hold up a neighbour.
  if (design === CUSTOM && html?.trim())
    return { html: await customBody(request().organisation.id, { html, view }), css: css ?? "" };
  const shipped = designOf(design);
  return { html: renderTemplate(shipped.html, inlineCharts(view)), css: `${shipped.css}\n${css ?? ""}` };
}

/**
 * A report as HTML.
 * @throws TaskFailed whose message is the engine's, where the template's own body cannot be rendered
 */
export const renderReport = async (view: ReportView, choice: DesignChoice): Promise<string> =>
  framed(view, await designed(choice, view));
