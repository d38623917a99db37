import { escapedHtml } from "../../../core/values/text.ts";
import { Markup, renderTemplate } from "../../../mixins/documents/engine.ts";
import { sanitisedBody } from "../../../mixins/documents/sanitise.ts";
import type { DocumentView } from "./document-view.ts";

/** An organisation's own body, and the view to print. */
export interface CustomBody {
  html: string;
  view: DocumentView;
}

/** Restores the markup of a view that was copied from another thread as plain objects. */
const revived = (view: DocumentView): DocumentView => ({
  ...view,
  body: view.body.map((block) => (block.html ? { ...block, html: new Markup(block.html.html) } : block)),
});

/**
 * Renders a template's own body: without scripts or loaded resources, and with the required reverse charge notice (money §14). Runs in
 * worker threads.
 * @throws Error with the engine's message
 */
export default function customBody({ html, view }: CustomBody): string {
  const body = sanitisedBody(renderTemplate(html, revived(view)));
  const notice = view.body.find(({ key }) => key === "reverse_charge")?.text;
  return notice === undefined || body.includes(escapedHtml(notice)) || body.includes(notice)
    ? body
    : `${body}\n<p class="reverse-charge">${escapedHtml(notice)}</p>`;
}
