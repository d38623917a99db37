import { request } from "../../../core/request/context.ts";
import { offThread } from "../../../core/threads/off-thread.ts";
import { renderTemplate } from "../../../mixins/documents/engine.ts";
import { CUSTOM, type Design, designOf } from "../designs/designs.ts";
import type { CustomBody } from "./custom-body.task.ts";
import { inlineCharts } from "./drawn-view.ts";
import { framed } from "./frame.ts";
import type { ReportView } from "./report-view.ts";

/** A template's choice of design. */
export interface DesignChoice {
  design: string;
  custom_html: string | null;
  custom_css: string | null;
}

/** The texts of a chosen design. */
export interface ChosenDesign extends Design {
  /** Whether the body is the organisation's own, and so untrusted. */
  is_own: boolean;
}

/** Resolves a template's design; a custom design with an empty body is the standard one (workspace-reporting §1.2). */
export function chosenDesign({ design, custom_html: html, custom_css: css }: DesignChoice): ChosenDesign {
  if (design === CUSTOM && html?.trim()) return { is_own: true, html, css: css ?? "" };
  const shipped = designOf(design);
  return { is_own: false, html: shipped.html, css: `${shipped.css}\n${css ?? ""}` };
}

const customBody = offThread<CustomBody, string>(new URL("./custom-body.task.ts", import.meta.url));

/**
 * Renders a report as HTML.
 * @throws TaskFailed with the engine's message, if the template's own body cannot be rendered
 */
export async function renderReport(view: ReportView, { is_own: isOwn, html, css }: ChosenDesign): Promise<string> {
  // An organisation's own body renders off the request's thread, so that it cannot block others.
  const body = isOwn ? await customBody(request().organisation.id, { html, view }) : renderTemplate(html, inlineCharts(view));
  return framed(view, { html: body, css });
}
