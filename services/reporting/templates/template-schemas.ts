import { REPORT_AUDIENCES } from "../../../core/declare/report-sections.ts";
import {
  answer,
  choice,
  field,
  flag,
  input,
  json,
  line,
  map,
  multiline,
  nonEmpty,
  nullable,
  optional,
  shownAs,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";
import { CUSTOM } from "../designs/designs.ts";

const ABOUT = {
  name: "Name of the template",
  audience: "Audience of its reports: the `client`, or colleagues (`internal`)",
  design: `A shipped design, or \`${CUSTOM}\` for \`custom_html\`; an unknown name is the standard design`,
  layout: "Sections that differ from the catalogue: those it mentions come first, the others follow in their own order",
  html: "Body of a custom design, a Liquid template; null or empty: the standard design. At most 200,000 characters",
  css: "Style sheet, added to that of a shipped design; null if none. At most 100,000 characters",
  accent: "Hexadecimal colour of headings and charts; null or anything else: the organisation's own",
  cover: "Picture of the organisation's branding below the title; null if none",
  intro: "Text before the first section, blank lines separate paragraphs; null if none",
  isDefault: "Whether clients without a template of their own get it; one per audience at most",
};
const audience = () => choice(REPORT_AUDIENCES, { default: "client", description: ABOUT.audience });

/** The fields of a look, for saving and preview. */
const look = {
  audience: optional(audience()),
  design: optional(text(32, { default: "standard", description: ABOUT.design })),
  custom_html: optional(nullable(multiline(undefined, { description: ABOUT.html }))),
  custom_css: optional(nullable(multiline(undefined, { description: ABOUT.css }))),
  accent_color: optional(nullable(text(16, { description: ABOUT.accent }))),
  cover_image_file_id: optional(nullable(field(uuid(), ABOUT.cover))),
  intro_text: optional(nullable(multiline(4000, { description: ABOUT.intro }))),
};

const ReportTemplateLayoutSection = Type.Object(
  {
    key: line({ maxLength: 120, description: "Key of a section of the catalogue; an unknown one is skipped" }),
    enabled: optional(field(flag(true), "Whether the section is printed")),
    label_i18n: optional(map(line(), { default: {}, description: "Heading by language; empty: the section's own" })),
  },
  { $id: "ReportTemplateLayoutSection", "x-usage": "both" },
);
const ReportTemplateLayout = Type.Object(
  {
    sections: optional(
      Type.Array(ReportTemplateLayoutSection, {
        maxItems: 100,
        default: [],
        description: "Sections in display order; of a repeated key the first counts",
      }),
    ),
  },
  { $id: "ReportTemplateLayout", "x-usage": "both", description: ABOUT.layout },
);

export const ReportTemplateRead = answer("ReportTemplateRead", {
  id: { ...uuid(), description: "The template" },
  name: Type.String({ description: ABOUT.name }),
  audience: Type.String({ description: ABOUT.audience }),
  design: Type.String({ description: ABOUT.design }),
  layout: shownAs(json({ default: {}, description: ABOUT.layout }), ReportTemplateLayout),
  custom_html: nullable(Type.String({ description: ABOUT.html })),
  custom_css: nullable(Type.String({ description: ABOUT.css })),
  accent_color: nullable(Type.String({ description: ABOUT.accent })),
  cover_image_file_id: nullable(field(uuid(), ABOUT.cover)),
  intro_text: nullable(Type.String({ description: ABOUT.intro })),
  is_default: field(flag(false), ABOUT.isDefault),
});

export const ReportTemplateWrite = input("ReportTemplateWrite", {
  name: field(nonEmpty(160), ABOUT.name),
  ...look,
  layout: optional({ ...ReportTemplateLayout, default: { sections: [] } }),
  is_default: optional(
    field(flag(false), `${ABOUT.isDefault}: setting it unsets the other. The first of an audience always becomes it`),
  ),
});

export const ReportTemplatePreviewRequest = input("ReportTemplatePreviewRequest", look);

export const ReportTemplateSource = answer("ReportTemplateSource", {
  html: Type.String({ description: "Body of the design, a Liquid template" }),
  css: Type.String({ description: "Style sheet of the design" }),
});

export const SectionCatalogEntry = answer("SectionCatalogEntry", {
  key: Type.String({ description: "Key of the section, as layouts and profiles name it" }),
  title_key: Type.String({ description: "Translation key of its heading" }),
  audience: Type.String({ description: "Whose reports can have it: `client`, `internal` or `both`" }),
  module: Type.String({ description: "The part of the key before its first dot" }),
  source_key: Type.String({ default: "", description: "Key of the source of its figures; empty if it has none" }),
});
