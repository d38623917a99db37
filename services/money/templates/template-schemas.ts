import {
  answer,
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
} from "../../../core/declare/schema.ts";
import { EMPTY_CONFIG, TemplateConfigSchema } from "./template-config.ts";

const name = () => label(120);

export const InvoiceTemplateRead = answer("InvoiceTemplateRead", {
  id: uuid(),
  org_id: uuid(),
  name: name(),
  is_default: flag(false),
  active: flag(true),
  position: Type.Integer({ default: 0 }),
  config: Type.Unsafe<Record<string, unknown>>({ ...TemplateConfigSchema, default: EMPTY_CONFIG }),
  created_at: instant(),
  updated_at: instant(),
});

export const InvoiceTemplateCreate = input("InvoiceTemplateCreate", {
  name: name(),
  is_default: optional(flag(false)),
  active: optional(flag(true)),
  position: optional(integer(undefined, undefined, { default: 0 })),
  config: optional(TemplateConfigSchema),
});

export const InvoiceTemplateUpdate = input("InvoiceTemplateUpdate", {
  name: optional(neverNull(nullable(name()))),
  is_default: optional(neverNull(nullable(flag()))),
  active: optional(neverNull(nullable(flag()))),
  position: optional(neverNull(nullable(integer()))),
  config: optional(neverNull(nullable(TemplateConfigSchema))),
});

export const QrPreview = answer("QrPreview", {
  svg: Type.String(),
  dark: Type.String(),
  light: Type.String(),
  replaced: flag(false),
});

export const TemplateSource = answer("TemplateSource", { html: Type.String(), css: Type.String() });

export const TemplateCatalog = answer("TemplateCatalog", {
  blocks: Type.Array(Type.Unsafe<object>({ type: "object", additionalProperties: true })),
  designs: Type.Array(Type.String()),
  can_author: Type.Boolean(),
});
