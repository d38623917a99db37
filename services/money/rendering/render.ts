import { notFound, refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { offThread } from "../../../core/threads/off-thread.ts";
import { TaskFailed } from "../../../core/threads/thread-pool.ts";
import { INK } from "../../../mixins/documents/colours.ts";
import { renderTemplate } from "../../../mixins/documents/engine.ts";
import { logoOf, pictureOf } from "../../../mixins/documents/pictures.ts";
import { DocumentTooLong } from "../../../mixins/documents/printing/sheets.ts";
import { fileSafe } from "../calculation/numbering.ts";
import { IN_REQUEST, leavingFiles, type Within } from "../documents/kept-files.ts";
import { shownOutside } from "../documents/left.ts";
import { ensureToken } from "../documents/links.ts";
import { codeLook } from "./blocks/qr.ts";
import type { CustomBody } from "./custom-body.task.ts";
import { type Design, designOf } from "./designs/designs.ts";
import { type DocumentRow, documentRows, publicRow, type Rendered } from "./document-rows.ts";
import { type DocumentView, documentView, type Pictures } from "./document-view.ts";
import { framed } from "./frame.ts";
import { proseOf } from "./prose.ts";
import type { TemplateConfig } from "./template-config.ts";
import { documentWords } from "./texts/words.ts";
import { tightenedPdf } from "./tightened-pdf.ts";

/** A document ready to show, print and send. */
export interface RenderedDocument {
  html: string;
  /** `<number>.pdf`; without a number, the word for the document and its id (money §14). */
  fileName: string;
}

/** The file name of a document's PDF: `<number>.pdf`, or `factuur-<id>.pdf` without a number (money §14). */
export function fileNameOf({ number, id, locale, document }: Pick<DocumentRow, "number" | "id" | "locale" | "document">): string {
  return `${(number && fileSafe(number)) ?? `${documentWords(locale).file[document]}-${id}`}.pdf`;
}

const own = async (fileId: string | null | undefined, copies: Copies = {}): Promise<string | null> =>
  fileId ? pictureOf(copies[fileId.toLowerCase()] ?? fileId) : null;
/** Copies of pictures, by the branding file they were copied from. */
type Copies = DocumentRow["pictures"];

/** The picture on a template's code, or null. */
export async function codePicture(template: TemplateConfig, logoUrl: string | null, copies: Copies = {}): Promise<string | null> {
  const { logo } = codeLook(template, INK);
  return logo === "brand" ? logoOf(logoUrl, copies) : logo === "custom" ? own(template.qr_logo_file_id, copies) : null;
}

/** The pictures of a template. */
async function picturesOf(template: TemplateConfig, { logo_url: logoUrl, pictures: copies }: DocumentRow): Promise<Pictures> {
  const { background } = template;
  const logo = await logoOf(logoUrl, copies);
  const behind = background?.enabled ? (background.use_logo === false ? await own(background.file_id, copies) : logo) : null;
  return { logo, background: behind, onCode: await codePicture(template, logoUrl, copies) };
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
  const pictures = await picturesOf(template, row);
  const view = documentView(row, pictures, await proseOf(row));
  const { html: body, css } = await designed(template, view).catch((error: unknown) => {
    if (failing === "refused" || !(error instanceof TaskFailed)) throw error;
    return designed({ ...template, design: "classic" }, view);
  });
  return { html: framed(view, { body, css, template, pictures }), fileName: fileNameOf(row) };
}

/** The row with the classic design. */
const classic = (row: DocumentRow): DocumentRow => ({ ...row, template: { ...row.template, design: "classic" } });

/** The row, with an invoice's token minted now if links were off at issue (money §12). */
async function linked(row: DocumentRow): Promise<DocumentRow> {
  if (row.document === "quote" || row.status === "draft" || !row.public_links || row.public_token !== null) return row;
  return { ...row, public_token: await ensureToken(row.document, row.id) };
}

/** Documents by id in the requested order, with their tokens; skips those the caller does not see. */
async function linkedRows(kind: Rendered, ids: readonly string[]): Promise<DocumentRow[]> {
  const rows = new Map((await documentRows(kind, ids)).map((row) => [row.id, row]));
  const found: DocumentRow[] = [];
  for (const id of new Set(ids)) {
    const row = rows.get(id.toLowerCase());
    if (row) found.push(await linked(row));
  }
  return found;
}

/** Maps a failure of the template's own body to its refusal. @throws 409 `errors.invoicing.template_render`, other errors as they are */
export function refusedBody(error: unknown): never {
  if (!(error instanceof TaskFailed)) throw error;
  throw refusal("conflict", "errors.invoicing.template_render", { details: { reason: error.message } });
}

/**
 * One document as HTML, for its preview. It leaves if the caller is a client login.
 * @throws 404 for a document the caller does not see, such as a draft for a client login or a client outside the selection; 409
 * `errors.invoicing.template_render` when its template's own body fails to render
 */
export async function previewedDocument(kind: Rendered, id: string): Promise<RenderedDocument> {
  const read = () => linkedRows(kind, [id]);
  const isOutside = request().principal?.isClientLogin === true;
  const [row] = isOutside ? await shownOutside(kind, read, idsOf) : await read();
  if (!row) throw notFound();
  return renderRow(row, "refused").catch(refusedBody);
}

/** The document of a public link as HTML, which leaves by it; undefined unless the link is live. */
export async function previewedLink(kind: Rendered, token: string): Promise<RenderedDocument | undefined> {
  const [row] = await shownOutside(kind, () => ofLink(kind, token), idsOf);
  return row && renderRow(row, "classic");
}

const idsOf = (rows: readonly DocumentRow[]): string[] => rows.map(({ id }) => id);
const ofLink = async (kind: Rendered, token: string): Promise<DocumentRow[]> => {
  const row = await publicRow(kind, token);
  return row ? [row] : [];
};

/** A document's PDF, with the row it was made of. */
export interface PrintedDocument {
  row: DocumentRow;
  fileName: string;
  pdf: Buffer;
}

/** The PDF files of documents, which leave by it: issued ones as they first left (money §4, §14). */
async function printed(
  within: Within,
  kind: Rendered,
  failing: Failing,
  find: () => Promise<DocumentRow[]>,
): Promise<PrintedDocument[]> {
  const printOnce = async (row: DocumentRow) => {
    const [html, organisation] = await within.read(async () => [(await renderRow(row, failing)).html, request().organisation.id]);
    return tightenedPdf(html, organisation);
  };
  const make = (row: DocumentRow) =>
    printOnce(row).catch((error: unknown) => {
      if (failing === "refused" || !(error instanceof DocumentTooLong)) throw error;
      return printOnce(classic(row));
    });
  const files = await leavingFiles(within, kind, "pdf", { find, make });
  return files.map(({ row, bytes }) => ({ row, fileName: fileNameOf(row), pdf: bytes }));
}

/**
 * The PDF files of documents by id, in the requested order; skips those the caller does not see.
 * @param kind the table of the ids; credit notes are invoices
 * @throws 503 `unavailable` when no PDF can be rendered
 */
export const printedDocuments = (kind: Rendered, ids: readonly string[], within = IN_REQUEST): Promise<PrintedDocument[]> =>
  printed(within, kind, "classic", () => linkedRows(kind, ids));

/**
 * The PDF of one document.
 * @throws 404, 409 like `previewedDocument`; 503 `unavailable`
 */
export async function printedDocument(kind: Rendered, id: string): Promise<PrintedDocument> {
  const [found] = await printed(IN_REQUEST, kind, "refused", () => linkedRows(kind, [id])).catch(refusedBody);
  if (!found) throw notFound();
  return found;
}

/** The PDF of the document of a public link; undefined unless the link is live. @throws 503 `unavailable` */
export const printedLink = async (kind: Rendered, token: string): Promise<PrintedDocument | undefined> =>
  (await printed(IN_REQUEST, kind, "classic", () => ofLink(kind, token)))[0];
