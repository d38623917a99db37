import { conflict, notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { documentRows } from "./document-rows.ts";
import { type RenderedDocument, refusedBody, renderRow } from "./render.ts";
import { tightenedPdf } from "./tightened-pdf.ts";

/**
 * The draft of an invoice as a proforma: the same print under another name, without a number. It has no e-invoice and no code to pay by, and
 * nothing is kept: the draft stays a draft.
 * @throws 404 for one the caller does not see; 409 `errors.invoicing.wrong_status` for an issued invoice and a credit note,
 * `errors.invoicing.template_render` when the template's own body fails to render
 */
export async function renderedProforma(id: string): Promise<RenderedDocument> {
  const [row] = await documentRows("invoice", [id]);
  if (!row) throw notFound();
  if (row.document !== "invoice" || row.kind !== "invoice" || row.status !== "draft")
    throw conflict("errors.invoicing.wrong_status");
  const { html } = await renderRow({ ...row, proforma: true }, "refused").catch(refusedBody);
  return { html, fileName: `proforma-${row.id}.pdf` };
}

/** The same as PDF. @throws 503 `unavailable` as well */
export async function printedProforma(id: string): Promise<{ fileName: string; pdf: Buffer }> {
  const { html, fileName } = await renderedProforma(id);
  return { fileName, pdf: await tightenedPdf(html, request().organisation.id) };
}
