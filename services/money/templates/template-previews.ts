import type { FileAnswer } from "../../../core/files/file-answer.ts";
import { request } from "../../../core/request/context.ts";
import { publicUrl } from "../public/links.ts";
import { paletteOf } from "../rendering/blocks/colours.ts";
import { codeLook, qrSvg } from "../rendering/blocks/qr.ts";
import { previewAnswer } from "../rendering/document-answers.ts";
import { issuer } from "../rendering/document-rows.ts";
import { codePicture, type RenderedDocument, renderRow } from "../rendering/render.ts";
import { wordsOf } from "../rendering/texts/words.ts";
import { SAMPLE_TOKEN, sampleInvoice } from "./sample.ts";
import { requireBody, requirePictures, unrenderable } from "./template-bodies.ts";
import type { TemplateConfig } from "./template-config.ts";
import { storedConfig } from "./template-rows.ts";

/** A template that is to be looked at, and the stored one it is to change. */
export interface Looked {
  config: TemplateConfig;
  template_id?: string | null;
}

/** @throws 404 for an unknown template; 403, 422 and 400 as `requireBody` and `requirePictures` say */
async function judged({ config, template_id: id }: Looked): Promise<void> {
  const baseline = id ? await storedConfig(id) : null;
  requireBody(config, baseline);
  await requirePictures(config, baseline);
}

/** The language and the currency a sample is in. */
const look = () => {
  const { locale, currency } = request().organisation;
  return { locale, currency };
};

/**
 * An invented document in the look of a template, with the organisation's own seller and brand (money §14).
 * @throws 404, 403, 422; 422 with the engine's words in `fields.html` too where a body fails while it is rendered
 */
export async function templatePreview(asked: Looked): Promise<FileAnswer> {
  await judged(asked);
  const row = sampleInvoice(await issuer(), asked.config, look());
  const document: RenderedDocument = await renderRow(row).catch((error: unknown) => {
    throw unrenderable(error);
  });
  return previewAnswer(document);
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
