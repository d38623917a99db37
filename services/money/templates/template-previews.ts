import { refusal } from "../../../core/declare/errors.ts";
import type { FileAnswer } from "../../../core/files/file-answer.ts";
import { request } from "../../../core/request/context.ts";
import { TaskFailed } from "../../../core/threads/thread-pool.ts";
import { paletteOf } from "../../../mixins/documents/colours.ts";
import { publicUrl } from "../documents/links.ts";
import { codeLook, qrSvg } from "../rendering/blocks/qr.ts";
import { previewAnswer } from "../rendering/document-answers.ts";
import { issuer } from "../rendering/document-rows.ts";
import { codePicture, type RenderedDocument, renderRow } from "../rendering/render.ts";
import { wordsOf } from "../rendering/texts/words.ts";
import { SAMPLE_TOKEN, sampleInvoice } from "./sample.ts";
import { requireBody, requirePictures } from "./template-bodies.ts";
import type { TemplateConfig } from "./template-config.ts";
import { storedConfig } from "./template-rows.ts";

/** A template that is to be looked at, and the stored one it is to change. */
export interface Looked {
  config: TemplateConfig;
  template_id?: string | null;
}

/** @throws 404 for an unknown template; 403, 422 and 400 as `requireBody` and `requirePictures` say */
async function judged({ config, template_id: id }: Looked): Promise<TemplateConfig | null> {
  const baseline = id ? await storedConfig(id) : null;
  requireBody(config, baseline);
  await requirePictures(config, baseline);
  return baseline;
}

/** The invented document in the look of a template. @throws 422 with the engine's words in `fields.html` where its body cannot be rendered */
async function sampled(config: TemplateConfig): Promise<RenderedDocument> {
  const row = sampleInvoice(await issuer(), config, look());
  return renderRow(row, "refused").catch((error: unknown) => {
    if (!(error instanceof TaskFailed)) throw error;
    throw refusal("validation", "errors.invoicing.template_render", { fields: { html: error.message } });
  });
}

/**
 * Judges a template that is to be stored, before the request has a transaction: its body may take a while. A new or changed body is rendered once,
 * whatever the design: what cannot be rendered cannot be stored (money §14).
 * @throws 404, 403, 422 and 400 as a preview does
 */
export async function requireStorable(asked: Looked): Promise<void> {
  const baseline = await judged(asked);
  const { html } = asked.config;
  if (html && html !== baseline?.html) await sampled({ ...asked.config, design: "custom" });
}

/** The language and the currency a sample is in. */
const look = () => {
  const { locale, currency } = request().organisation;
  return { locale, currency };
};

/**
 * An invented document in the look of a template, with the organisation's own seller and brand (money §14).
 * @throws 404, 403, 422; 422 with the engine's words in `fields.html` too where its body cannot be rendered
 */
export async function templatePreview(asked: Looked): Promise<FileAnswer> {
  await judged(asked);
  return previewAnswer(await sampled(asked.config));
}

/** The code of a template, of an address that is as long as a real one, and its colours (money §14 "QR"). */
export async function codePreview(asked: Looked): Promise<{ svg: string; dark: string; light: string; replaced: boolean }> {
  await judged(asked);
  const { config } = asked;
  const own = await issuer();
  const address = publicUrl({ status: "open", public_token: SAMPLE_TOKEN, public_links: true }, own.base);
  const colours = codeLook(config, paletteOf(config.accent_color, own.accent_color, own.primary_color).accent);
  const { dark, light, replaced } = colours;
  const svg = qrSvg(address, colours, await codePicture(config, own.logo_url), wordsOf(look().locale).code.link);
  return { svg, dark, light, replaced };
}
