import { sinceQuery } from "../../../core/database/lists/list.ts";
import { newId } from "../../../core/database/model.ts";
import { differences, queueInsert, queueRemove, queueUpdate, withoutBlanks } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { download } from "../../../core/declare/makers/download.ts";
import { REPORT_AUDIENCES } from "../../../core/declare/report-sections.ts";
import { prepared } from "../../../core/request/context.ts";
import { choice, list, optional, type Static, Type } from "../../../core/schema/schema.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { resource } from "../../../mixins/resource.ts";
import { designOf } from "../designs/designs.ts";
import { ReportTemplate } from "../models.ts";
import { tidyName } from "../names.ts";
import { offeredSections } from "../sections/catalogue.ts";
import { wholeLayout } from "../sections/layout.ts";
import { serialiseWrites } from "../turns.ts";
import { requireStorable, templatePreview } from "./template-looks.ts";
import { clearDefaultTemplate, hasTemplate, templates } from "./template-rows.ts";
import {
  ReportTemplatePreviewRequest,
  ReportTemplateRead,
  ReportTemplateSource,
  ReportTemplateWrite,
  SectionCatalogEntry,
} from "./template-schemas.ts";

const KIND = "report_template";
const MANAGE = "reporting.settings.manage";
const LOOK_ERRORS = [
  "not_found",
  "validation errors.reporting.template_render",
  "validation errors.reporting.template_too_large",
  "unavailable",
];

/** A template as stored; omitted fields get their defaults, because a PUT replaces the whole. @throws 422 for a blank name */
const valuesOf = (sent: Static<typeof ReportTemplateWrite>) =>
  withoutBlanks(ReportTemplate, {
    name: tidyName(sent.name),
    audience: sent.audience ?? "client",
    design: sent.design ?? "standard",
    layout: wholeLayout(sent.layout),
    custom_html: sent.custom_html ?? null,
    custom_css: sent.custom_css ?? null,
    accent_color: sent.accent_color ?? null,
    cover_image_file_id: sent.cover_image_file_id?.toLowerCase() ?? null,
    intro_text: sent.intro_text ?? null,
    is_default: sent.is_default ?? false,
  });

/** Templates of client reports (workspace-reporting §1.2). */
export default resource("reporting.templates", {
  model: ReportTemplate,
  actions: {
    list: action({
      rest: "GET /reporting/templates",
      summary: "List the templates of reports, by name",
      permission: "reporting.profile.manage",
      query: {
        audience: optional(choice(REPORT_AUDIENCES, { description: "Only templates of this audience; all if omitted" })),
        ...sinceQuery,
      },
      returns: list(ReportTemplateRead),
      handler: ({ params: { audience, updated_since } }) => templates.all({ audience, updated_since }),
    }),

    create: action({
      rest: "POST /reporting/templates",
      summary: "Add a template of reports",
      description: "The first of an audience becomes its default. A custom body is rendered once before it is stored.",
      permission: MANAGE,
      body: ReportTemplateWrite,
      returns: ReportTemplateRead,
      errors: LOOK_ERRORS,
      prepare: (ctx) => requireStorable(ctx.params.body),
      async handler(ctx) {
        const values = valuesOf(ctx.params.body);
        serialiseWrites("templates");
        const id = newId();
        const is_default = values.is_default || !(await hasTemplate(values.audience));
        if (is_default) clearDefaultTemplate(values.audience, id);
        queueInsert(ReportTemplate, { ...values, id, is_default });
        trail(KIND, id, "created", { name: values.name });
        return templates.answerWith(id);
      },
    }),

    replace: action({
      rest: "PUT /reporting/templates/:template_id",
      summary: "Replace a template of reports",
      description: "Omitted fields get their defaults. Existing reports stay unchanged.",
      permission: MANAGE,
      body: ReportTemplateWrite,
      returns: ReportTemplateRead,
      errors: LOOK_ERRORS,
      prepare: (ctx) => requireStorable(ctx.params.body, ctx.params.template_id),
      async handler(ctx) {
        const { template_id: id, body } = ctx.params;
        const values = valuesOf(body);
        serialiseWrites("templates");
        const before = await templates.forWrite(id);
        const changed = differences(before, values);
        // It may have been the default of another audience.
        if (values.is_default) clearDefaultTemplate(values.audience, id);
        if (changed) {
          queueUpdate(ReportTemplate, id, changed);
          trail(KIND, id, "updated", { changes: changesOf(ReportTemplate.tracked, before, changed) });
        }
        return templates.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /reporting/templates/:template_id",
      summary: "Delete a template of reports",
      description: "Clients that have it get the default of its audience, else the oldest, else the plain shipped design.",
      permission: MANAGE,
      async handler(ctx) {
        serialiseWrites("templates");
        const before = await templates.forWrite(ctx.params.template_id);
        queueRemove(ReportTemplate, before.id);
        trail(KIND, before.id, "deleted", { name: before.name });
      },
    }),

    preview: download({
      rest: "POST /reporting/templates/preview",
      summary: "Look at a template on the newest report",
      description:
        "Shows the newest finished report of the audience that the caller can read, by start of its period and then by creation; without one an invented report in the default language. Nothing is stored.",
      permission: MANAGE,
      body: ReportTemplatePreviewRequest,
      returnsFile: "text/html",
      // A one-off page is not stored for an idempotency key.
      oneTime: true,
      errors: LOOK_ERRORS,
      prepare: (ctx) => templatePreview(ctx.params.body),
      handler: () => prepared(),
    }),

    sections: action({
      rest: "GET /reporting/templates/sections",
      summary: "List the sections that reports can have, in order",
      description: "Those of the organisation's enabled modules.",
      permission: MANAGE,
      returns: list(SectionCatalogEntry),
      handler: () =>
        offeredSections().map(({ key, audience, source }) => ({
          key,
          title_key: `reporting.section.${key}`,
          audience,
          module: key.split(".")[0],
          source_key: source,
        })),
    }),

    source: action({
      rest: "GET /reporting/templates/designs/:design/source",
      summary: "Read the body and the style of a shipped design, as a start for your own",
      description: "The standard one for an unknown name.",
      permission: MANAGE,
      path: { design: Type.String({ description: "Name of a shipped design" }) },
      returns: ReportTemplateSource,
      handler: (ctx) => designOf(ctx.params.design),
    }),
  },
});
