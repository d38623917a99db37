import { notFound, refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { offThread } from "../../../core/threads/off-thread.ts";
import { TaskFailed } from "../../../core/threads/thread-pool.ts";
import { INK } from "../../../mixins/documents/colours.ts";
import { renderTemplate } from "../../../mixins/documents/engine.ts";
import { logoOf, pictureOf } from "../../../mixins/documents/pictures.ts";
import { fileSafe } from "../calculation/numbering.ts";
import { ensureToken } from "../documents/links.ts";
import { type Design, designOf } from "../templates/designs/designs.ts";
import { codeLook } from "./blocks/qr.ts";
import type { CustomBody } from "./custom-body.task.ts";
import { type DocumentRow, documentRows, type Rendered } from "./document-rows.ts";
import { type DocumentView, documentView, type Pictures } from "./document-view.ts";
import { framed } from "./frame.ts";
import { proseOf } from "./prose.ts";
import type { TemplateConfig } from "./template-config.ts";
import { wordsOf } from "./texts/words.ts";

/** A document ready to show, print and send. */
export interface RenderedDocument {
  html: string;
  /** `<number>.pdf`; without a number, the word for the document and its id (money §14). */
  fileName: string;
}

/** The file name of a document's PDF: `<number>.pdf`, or `factuur-<id>.pdf` without a number (money §14). */
export function fileNameOf({ number, id, locale, document }: Pick<DocumentRow, "number" | "id" | "locale" | "document">): string {
  return `${(number && fileSafe(number)) ?? `${wordsOf(locale).file[document]}-${id}`}.pdf`;
}

const own = async (fileId: string | null | undefined): Promise<string | null> => (fileId ? pictureOf(fileId) : null);

/** The picture on a template's code, or null. */
export async function codePicture(template: TemplateConfig, logoUrl: string | null): Promise<string | null> {
  const { logo } = codeLook(template, INK);
  return logo === "brand" ? logoOf(logoUrl) : logo === "custom" ? own(template.qr_logo_file_id) : null;
}

/** The pictures of a template. */
async function picturesOf(template: TemplateConfig, logoUrl: string | null): Promise<Pictures> {
  const { background } = template;
  const logo = await logoOf(logoUrl);
  const behind = background?.enabled ? (background.use_logo === false ? await own(background.file_id) : logo) : null;
  return { logo, background: behind, onCode: await codePicture(template, logoUrl) };
}

/** The result when a template's own body fails to render: an error, or the classic design (money §14). */
export type Failing = "refused" | "classic";

const customBody = offThread<CustomBody, string>(new URL("./custom-body.task.ts", import.meta.url));

/** The body and the style sheet of a document. @throws TaskFailed when the template's own body fails to render */
async function designed({ design = "classic", html, css }: TemplateConfig, view: DocumentView): Promise<Design> {
  // An organisation's own template runs in a worker thread: it must not delay other requests (money §14).
  if (design === "custom")
    return { html: await customBody(request().organisation.id, { html: html ?? "", view }), css: css ?? "" };
  const shipped = designOf(design);
  return { html: renderTemplate(shipped.html, view), css: shipped.css };
}

/**
 * A document's row as HTML: the one renderer of preview, PDF, attachment, archive and public page.
 * @throws TaskFailed with the engine's message, when a template's own body fails to render and `failing` is "refused"
 */
export async function renderRow(row: DocumentRow, failing: Failing): Promise<RenderedDocument> {
  const template = row.template ?? {};
  const pictures = await picturesOf(template, row.logo_url);
  const view = documentView(row, pictures, await proseOf(row));
  const { html: body, css } = await designed(template, view).catch((error: unknown) => {
    if (failing === "refused" || !(error instanceof TaskFailed)) throw error;
    return designed({ ...template, design: "classic" }, view);
  });
  return { html: framed(view, { body, css, template, pictures }), fileName: fileNameOf(row) };
}

/** The row, with an invoice's token minted now if links were off at issue (money §12). */
async function linked(row: DocumentRow): Promise<DocumentRow> {
  if (row.document === "quote" || row.status === "draft" || !row.public_links || row.public_token !== null) return row;
  return { ...row, public_token: await ensureToken(row.document, row.id) };
}

/**
 * Documents by id as HTML, in the requested order; skips those the caller does not see.
 * @param kind the table of the ids; credit notes are invoices
 * @throws TaskFailed like `renderRow`
 */
export async function renderDocuments(kind: Rendered, ids: readonly string[], failing: Failing): Promise<RenderedDocument[]> {
  const rows = new Map((await documentRows(kind, ids)).map((row) => [row.id, row]));
  const rendered: RenderedDocument[] = [];
  for (const id of new Set(ids)) {
    const row = rows.get(id.toLowerCase());
    if (row) rendered.push(await renderRow(await linked(row), failing));
  }
  return rendered;
}

/**
 * One document as HTML.
 * @throws 404 for a document the caller does not see, such as a draft for a client login or a client outside the selection; 409
 * `errors.invoicing.template_render` when its template's own body fails to render and `failing` is "refused"
 */
export async function renderDocument(kind: Rendered, id: string, failing: Failing): Promise<RenderedDocument> {
  const [rendered] = await renderDocuments(kind, [id], failing).catch((error: unknown) => {
    if (!(error instanceof TaskFailed)) throw error;
    throw refusal("conflict", "errors.invoicing.template_render", { details: { reason: error.message } });
  });
  if (!rendered) throw notFound();
  return rendered;
}
