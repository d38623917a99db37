import { newId } from "../../../core/database/model.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { download } from "../../../core/declare/makers/download.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { prepared } from "../../../core/request/context.ts";
import { list, Type } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { reportLostReferences } from "../../../core/trail/lost-references.ts";
import { resource } from "../../../mixins/resource.ts";
import { UNKNOWN_REFERENCE } from "../refusals.ts";
import { designOf } from "../rendering/designs/designs.ts";
import { BLOCKS } from "../rendering/template-blocks.ts";
import { DESIGNS, TemplatePreview } from "../rendering/template-config.ts";
import { InvoiceTemplate } from "../settings/models.ts";
import { AUTHOR, requireBody } from "./template-bodies.ts";
import { codePreview, requireStorable, templatePreview } from "./template-previews.ts";
import { clearDefault, listedTemplates, templateQuery, templates, wholeConfig } from "./template-rows.ts";
import {
  InvoiceTemplateCreate,
  InvoiceTemplateRead,
  InvoiceTemplateUpdate,
  QrPreview,
  TemplateCatalog,
  TemplateSource,
} from "./template-schemas.ts";

const MANAGE = "invoicing.settings.manage";
const BODY_ERRORS = [
  "forbidden",
  "validation errors.invoicing.template_render",
  "validation errors.invoicing.template_too_large",
  UNKNOWN_REFERENCE,
];
const AUTHORED = "A new or changed `html` or `css` also needs `invoicing.template.author`.";

export default resource("invoicing.templates", {
  model: InvoiceTemplate,
  actions: {
    list: action({
      rest: "GET /invoicing/templates",
      summary: "List the templates of documents",
      description: "Sorted by position, then name; inactive ones only on request.",
      permission: "invoicing.invoice.read:any",
      query: templateQuery,
      returns: list(InvoiceTemplateRead),
      handler: async (ctx) => new JsonText(await listedTemplates(ctx.params, mayCaller(MANAGE))),
    }),

    create: action({
      rest: "POST /invoicing/templates",
      summary: "Create a template of documents",
      description: `${AUTHORED} Pictures are files of the organisation's branding.`,
      permission: MANAGE,
      body: InvoiceTemplateCreate,
      example: {
        name: "Huisstijl",
        is_default: true,
        config: {
          design: "classic",
          accent_color: "#1f6feb",
          show_logo: true,
          columns: { quantity: true, unit: true, unit_price: true, tax: true },
          footer_i18n: { nl: "Bedankt voor de samenwerking." },
        },
      },
      returns: InvoiceTemplateRead,
      errors: [...BODY_ERRORS, "unavailable"],
      prepare: (ctx) => requireStorable({ config: ctx.params.body.config ?? {} }),
      async handler(ctx) {
        const { config = {}, ...values } = ctx.params.body;
        const id = newId();
        if (values.is_default) clearDefault(id);
        queueInsert(InvoiceTemplate, { id, ...values, config: wholeConfig(config) });
        return templates.answerWith(id);
      },
    }),

    update: action({
      rest: "PATCH /invoicing/templates/:template_id",
      summary: "Change a template of documents",
      description: `\`config\` is replaced whole. ${AUTHORED} Drafts that use it change with it; issued documents keep the look of their issue.`,
      permission: MANAGE,
      body: InvoiceTemplateUpdate,
      example: {
        name: "Huisstijl 2026",
        config: {
          design: "classic",
          accent_color: "#1f6feb",
          show_logo: true,
          columns: { quantity: true, unit: true, unit_price: true, tax: true },
          footer_i18n: { nl: "Bedankt voor de samenwerking." },
        },
      },
      returns: InvoiceTemplateRead,
      errors: [...BODY_ERRORS, "unavailable"],
      async prepare({ params: { template_id, body } }) {
        if (body.config) await requireStorable({ config: body.config, template_id });
      },
      async handler(ctx) {
        const { template_id: id, body } = ctx.params;
        const { config, ...values } = body;
        const before = await templates.forWrite(id);
        // Validates again against the stored template, which may have changed since.
        if (config) requireBody(config, before.config);
        const changed = differences(before, { ...values, config: config && wholeConfig(config) });
        if (changed?.is_default) clearDefault(id);
        if (changed) queueUpdate(InvoiceTemplate, id, changed);
        return templates.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /invoicing/templates/:template_id",
      summary: "Delete a template; drafts that use it get the classic look",
      permission: MANAGE,
      async handler(ctx) {
        const id = ctx.params.template_id;
        await templates.forWrite(id);
        await reportLostReferences(InvoiceTemplate, [id]);
        queueRemove(InvoiceTemplate, id);
      },
    }),

    preview: download({
      rest: "POST /invoicing/templates/preview",
      summary: "Preview a template with an invented invoice",
      description: `With the organisation's own seller and brand. ${AUTHORED}`,
      permission: MANAGE,
      body: TemplatePreview,
      example: {
        config: {
          design: "classic",
          accent_color: "#1f6feb",
          show_logo: true,
          columns: { quantity: true, unit: true, unit_price: true, tax: true },
          footer_i18n: { nl: "Bedankt voor de samenwerking." },
        },
      },
      returnsFile: "text/html",
      // A one-off page is not stored for an idempotency key.
      oneTime: true,
      errors: ["not_found", "unavailable", ...BODY_ERRORS],
      prepare: (ctx) => templatePreview(ctx.params.body),
      handler: () => prepared(),
    }),

    codePreview: action({
      rest: "POST /invoicing/templates/qr-preview",
      verb: "qrPreview",
      summary: "Look at the code of a template",
      description: "`replaced` is true if its colours could not be scanned and others were used.",
      permission: MANAGE,
      body: TemplatePreview,
      example: { config: { qr_style: "custom", qr_color: "#14213d", qr_background: "#ffffff" } },
      returns: QrPreview,
      status: 200,
      errors: ["not_found", ...BODY_ERRORS],
      prepare: (ctx) => codePreview(ctx.params.body),
      handler: () => prepared(),
    }),

    blocks: action({
      rest: "GET /invoicing/template-blocks",
      summary: "The design options of templates",
      permission: MANAGE,
      returns: TemplateCatalog,
      handler: () => ({ blocks: BLOCKS, designs: DESIGNS, can_author: mayCaller(AUTHOR) }),
    }),

    source: action({
      rest: "GET /invoicing/template-blocks/:design/source",
      summary: "Read the body and the style of a shipped design, as a start for your own",
      description: "The classic one for an unknown name.",
      permission: AUTHOR,
      path: { design: Type.String() },
      returns: TemplateSource,
      handler: (ctx) => designOf(ctx.params.design),
    }),
  },
});
