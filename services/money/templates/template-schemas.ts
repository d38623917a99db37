import {
  answer,
  field,
  flag,
  input,
  instant,
  integer,
  label,
  neverNull,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";
import { EMPTY_CONFIG, TemplateConfigSchema } from "../rendering/template-config.ts";

const TEMPLATE = {
  name: "Name of the template",
  is_default: "Whether it is the template of documents without one; setting it unsets the others",
  active: "Whether it is offered for new documents",
  position: "Its position in lists, the lowest first",
  config: "How it looks; sent in a change, it replaces the stored one as a whole",
};

export const InvoiceTemplateRead = answer(
  "InvoiceTemplateRead",
  {
    id: uuid(),
    org_id: uuid(),
    name: label(120),
    is_default: flag(false),
    active: flag(true),
    position: Type.Integer({ default: 0 }),
    config: Type.Unsafe<Record<string, unknown>>({ ...TemplateConfigSchema, default: EMPTY_CONFIG }),
    created_at: instant(),
    updated_at: instant(),
  },
  TEMPLATE,
);

export const InvoiceTemplateCreate = input(
  "InvoiceTemplateCreate",
  {
    name: label(120),
    is_default: optional(flag(false)),
    active: optional(flag(true)),
    position: optional(integer(undefined, undefined, { default: 0 })),
    config: optional(TemplateConfigSchema),
  },
  TEMPLATE,
);

export const InvoiceTemplateUpdate = input(
  "InvoiceTemplateUpdate",
  {
    name: optional(neverNull(nullable(label(120)))),
    is_default: optional(neverNull(nullable(flag()))),
    active: optional(neverNull(nullable(flag()))),
    position: optional(neverNull(nullable(integer()))),
    config: optional(neverNull(nullable(TemplateConfigSchema))),
  },
  TEMPLATE,
);

export const QrPreview = answer("QrPreview", {
  svg: Type.String({ description: "The code of a sample address, as SVG" }),
  dark: Type.String({ description: "Its dark colour as `#rrggbb`" }),
  light: Type.String({ description: "Its light colour as `#rrggbb`" }),
  replaced: field(flag(false), "True when the chosen pair had too little contrast and both colours were replaced"),
});

export const TemplateSource = answer("TemplateSource", {
  html: Type.String({ description: "Body of the design, HTML with Liquid" }),
  css: Type.String({ description: "Its style sheet" }),
});

export const TemplateCatalog = answer("TemplateCatalog", {
  blocks: field(
    Type.Array(Type.Unsafe<object>({ type: "object", additionalProperties: true })),
    "Blocks in their default order, each with `key`, `region`, `default`, `locked`, `movable` and its `fields`",
  ),
  designs: field(Type.Array(Type.String()), "Values of `design` that a template can have"),
  can_author: Type.Boolean({ description: "Whether the caller has permission to write the `html` and `css` of a template" }),
});
