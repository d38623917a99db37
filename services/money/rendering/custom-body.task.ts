import { escapedHtml } from "../../../core/values/text.ts";
import { Markup, renderTemplate } from "../../../mixins/documents/engine.ts";
import { sanitisedBody } from "../../../mixins/documents/sanitise.ts";
import type { DocumentView } from "./document-view.ts";

/** A body of an organisation's own, and what it is to print. */
export interface CustomBody {
  html: string;
  view: DocumentView;
}

/** A view whose markup was copied from another thread, and is plain objects since. */
const revived = (view: DocumentView): DocumentView => ({
  ...view,
  body: view.body.map((block) => (block.html ? { ...block, html: new Markup(block.html.html) } : block)),
});

/**
 * The body of a template's own making: without anything that runs or loads, and with the notice a reverse charge demands (money §14). A task for
 * threads.
 * @throws Error whose message is the engine's
 */
export default function customBody({ html, view }: CustomBody): string {
  const body = sanitisedBody(renderTemplate(html, revived(view)));
  const notice = view.body.find(({ key }) => key === "reverse_charge")?.text;
  return notice === undefined || body.includes(escapedHtml(notice)) || body.includes(notice)
    ? body
    : `${body}\n<p class="reverse-charge">${escapedHtml(notice)}</p>`;
}
