import { localeOf } from "../../../core/config/defaults.ts";
import type { ReportAudience } from "../../../core/declare/report-sections.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import type { FileAnswer } from "../../../core/files/file-answer.ts";
import { isLonger } from "../../../core/impex/files/cell.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { TaskFailed } from "../../../core/threads/thread-pool.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { isPicture } from "../../../mixins/documents/pictures.ts";
import { requirePrintable } from "../../../mixins/documents/printing/pdf.ts";
import { shownPage } from "../../../mixins/documents/shown-page.ts";
import { CUSTOM } from "../designs/designs.ts";
import { currentLook } from "../rendering/look.ts";
import { chosenDesign, renderReport } from "../rendering/render.ts";
import { contentOf } from "../rendering/report-document.ts";
import { type ReportContent, reportView } from "../rendering/report-view.ts";
import { sampleReport } from "../rendering/sample.ts";
import { settingsInForce } from "../settings/settings-rows.ts";
import { type Baseline, newestReport, storedBody } from "./template-rows.ts";
import type { ReportTemplatePreviewRequest } from "./template-schemas.ts";

/** Longest body and style sheet of a template, in characters (workspace-reporting §1.2). */
const MOST = { custom_html: 200_000, custom_css: 100_000 };
const TOO_LARGE = "errors.reporting.template_too_large";
const UNRENDERABLE = "errors.reporting.template_render";
/** Longest engine message in an answer, in characters. */
const MOST_REASON = 500;

export type Look = Static<typeof ReportTemplatePreviewRequest>;

/** Validates a template's look. @throws 422 for a body or style sheet that is too large, 404 for a cover that is not a branding picture */
async function requireLook(look: Look, baseline: Baseline | null): Promise<void> {
  const large = (["custom_html", "custom_css"] as const).filter((field) => isLonger(look[field] ?? "", MOST[field]));
  if (large.length > 0)
    throw refusal("validation", TOO_LARGE, { fields: Object.fromEntries(large.map((field) => [field, TOO_LARGE])) });
  const cover = look.cover_image_file_id?.toLowerCase();
  if (cover && cover !== baseline?.cover_image_file_id && !(await isPicture(cover))) throw notFound();
}

/** An invented report of an audience, in the organisation's default language. */
async function invented(audience: ReportAudience): Promise<ReportContent> {
  const { default_locale: locale } = await settingsInForce();
  return sampleReport(localeOf(locale.slice(0, 2)), audience);
}

/** Renders a report with a look. @throws 422 with the engine's message if its own body cannot be rendered */
async function drawn(look: Look, content: ReportContent): Promise<string> {
  const surroundings = await currentLook(request().organisation, {
    accent_color: look.accent_color ?? null,
    cover_image_file_id: look.cover_image_file_id ?? null,
    intro_text: look.intro_text ?? null,
  });
  const design = chosenDesign({
    design: look.design ?? "standard",
    custom_html: look.custom_html ?? null,
    custom_css: look.custom_css ?? null,
  });
  return renderReport(reportView(content, surroundings), design).catch(refusedBody);
}

/** @throws 422 with the reason why a body cannot be rendered or printed; other errors as they are */
function refusedBody(error: unknown): never {
  if (!(error instanceof TaskFailed)) throw error;
  throw refusal("validation", UNRENDERABLE, {
    fields: { custom_html: UNRENDERABLE },
    details: { reason: shortened(error.message, MOST_REASON) },
  });
}

/** Renders a body once with an invented report, whatever the design: a broken body must not be stored. */
const requireRenderable = async (look: Look) => drawn({ ...look, design: CUSTOM }, await invented(look.audience ?? "client"));

/**
 * Validates a template to be stored, before the request has a transaction: rendering and printing its body may take a while.
 * @param id of the stored template it replaces: unchanged parts were validated when written
 * @throws 404, and 422 as {@link requireLook} and for a new body or style that cannot be rendered or printed; 503
 * `unavailable` while nothing can be printed
 */
export async function requireStorable(look: Look, id?: string): Promise<void> {
  const baseline = id === undefined ? null : await storedBody(id);
  await requireLook(look, baseline);
  if (!look.custom_html?.trim()) return;
  if (look.custom_html === baseline?.custom_html && look.custom_css === baseline?.custom_css) return;
  await requirePrintable(await requireRenderable(look), request().organisation.id).catch(refusedBody);
}

/**
 * Renders the newest visible report of the audience with the look of a template, which need not be stored; without such a report it renders
 * an invented one (workspace-reporting §1.2). @throws as {@link requireStorable}
 */
export async function templatePreview(look: Look): Promise<FileAnswer> {
  await requireLook(look, null);
  if (look.custom_html?.trim() && look.design !== CUSTOM) await requireRenderable(look);
  const audience = look.audience ?? "client";
  const newest = await newestReport(audience);
  const content = newest?.data_snapshot ? contentOf(newest.data_snapshot, newest.narrative) : await invented(audience);
  return shownPage("report.html", await drawn(look, content));
}
