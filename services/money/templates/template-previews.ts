import { refusal } from "../../../core/errors/errors.ts";
import type { FileAnswer } from "../../../core/files/file-answer.ts";
import { request } from "../../../core/request/context.ts";
import { TaskFailed } from "../../../core/threads/thread-pool.ts";
import { paletteOf } from "../../../mixins/documents/colours.ts";
import { requirePrintable } from "../../../mixins/documents/printing/pdf.ts";
import { publicUrl } from "../documents/links.ts";
import { codeLook, qrSvg } from "../rendering/blocks/qr.ts";
import { previewAnswer } from "../rendering/document-answers.ts";
import { issuer } from "../rendering/document-rows.ts";
import { codePicture, type RenderedDocument, renderRow } from "../rendering/render.ts";
import type { TemplateConfig } from "../rendering/template-config.ts";
import { documentWords } from "../rendering/texts/words.ts";
import { SAMPLE_TOKEN, sampleInvoice } from "./sample.ts";
import { requireBody, requirePictures } from "./template-bodies.ts";
import { storedConfig } from "./template-rows.ts";

/** A template to preview, and the stored one it would change. */
export interface Looked {
  config: TemplateConfig;
  template_id?: string | null;
}

/** @throws 404 for an unknown template; 403, 422 and 400 like `requireBody` and `requirePictures` */
async function judged({ config, template_id: id }: Looked): Promise<TemplateConfig | null> {
  const baseline = id ? await storedConfig(id) : null;
  requireBody(config, baseline);
  await requirePictures(config, baseline);
  return baseline;
}

/** @throws 422 with the message of a body that fails to render or print in `fields.html`; other errors as they are */
function refusedBody(error: unknown): never {
  if (!(error instanceof TaskFailed)) throw error;
  throw refusal("validation", "errors.invoicing.template_render", { fields: { html: error.message } });
}

/** Renders the sample document with a template. @throws 422 with the engine's message in `fields.html` when its body fails to render */
const sampled = async (config: TemplateConfig): Promise<RenderedDocument> =>
  renderRow(sampleInvoice(await issuer(), config, look()), "refused").catch(refusedBody);

/**
 * Validates a template to store, before the request opens a transaction: its body can take a while. Renders and prints a new or changed
 * body or style once, whatever the design: one that fails to render, or is too long to print, is not stored (money §14).
 * @throws 404, 403, 422 and 400 like a preview; 503 `unavailable` while nothing can be printed
 */
export async function requireStorable(asked: Looked): Promise<void> {
  const baseline = await judged(asked);
  const { html, css } = asked.config;
  if (!html || (html === baseline?.html && css === baseline?.css)) return;
  const sample = await sampled({ ...asked.config, design: "custom" });
  await requirePrintable(sample.html, request().organisation.id).catch(refusedBody);
}

/** The language and currency of a sample. */
const look = () => {
  const { locale, currency } = request().organisation;
  return { locale, currency };
};

/**
 * A sample document in the look of a template, with the organisation's own seller and brand (money §14).
 * @throws 404, 403, 422; 422 with the engine's message in `fields.html` too when its body fails to render
 */
export async function templatePreview(asked: Looked): Promise<FileAnswer> {
  await judged(asked);
  return previewAnswer(await sampled(asked.config));
}

/** The QR code of a template and its colours, for an address of realistic length (money §14 "QR"). */
export async function codePreview(asked: Looked): Promise<{ svg: string; dark: string; light: string; replaced: boolean }> {
  await judged(asked);
  const { config } = asked;
  const own = await issuer();
  const address = publicUrl({ status: "open", public_token: SAMPLE_TOKEN, public_links: true }, own.base);
  const colours = codeLook(config, paletteOf(config.accent_color, own.accent_color, own.primary_color).accent);
  const { dark, light, replaced } = colours;
  const svg = qrSvg(address, colours, await codePicture(config, own.logo_url), documentWords(look().locale).code.link);
  return { svg, dark, light, replaced };
}
