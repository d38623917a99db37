import { forbidden, invalid, refusal } from "../../../core/errors/errors.ts";
import { isLonger } from "../../../core/impex/files/cell.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { isPicture } from "../../../mixins/documents/pictures.ts";
import { badRequest } from "../refusals.ts";
import { MOST_CSS, MOST_HTML, type TemplateConfig } from "../rendering/template-config.ts";

const TOO_LARGE = "errors.invoicing.template_too_large";

/** The permission to write bodies and styles, needed besides the one to manage templates. */
export const AUTHOR = "invoicing.template.author";

/**
 * Validates the body and the style of a template before it is stored or previewed (money §14).
 * @param baseline the stored template, if any: its body and style were validated when written
 * @throws 403 for a new or changed body or style without the permission to author; 422 for one that is too large or missing
 */
export function requireBody(config: TemplateConfig, baseline: TemplateConfig | null): void {
  const { html, css, design } = config;
  const isNew = (text: string | null | undefined, stored: string | null | undefined) => Boolean(text) && text !== stored;
  if ((isNew(html, baseline?.html) || isNew(css, baseline?.css)) && !mayCaller(AUTHOR)) throw forbidden();
  const large = { html: isLonger(html ?? "", MOST_HTML), css: isLonger(css ?? "", MOST_CSS) };
  const fields = Object.entries(large).flatMap(([field, isTooLarge]) => (isTooLarge ? [[field, TOO_LARGE]] : []));
  if (fields.length > 0) throw refusal("validation", TOO_LARGE, { fields: Object.fromEntries(fields) });
  if (design === "custom" && !html?.trim()) throw invalid({ html: "errors.invoicing.template_body_required" });
}

/**
 * Validates the pictures of a template.
 * @param baseline its pictures may have been deleted since: the template then shows none
 * @throws 400 for a file that is not a branding picture of this organisation
 */
export async function requirePictures(config: TemplateConfig, baseline: TemplateConfig | null): Promise<void> {
  const named = { file_id: config.background?.file_id, qr_logo_file_id: config.qr_logo_file_id };
  const known = [baseline?.background?.file_id, baseline?.qr_logo_file_id];
  for (const [field, id] of Object.entries(named))
    if (id && !known.includes(id) && !(await isPicture(id))) throw badRequest({ [field]: "errors.not_found" });
}
