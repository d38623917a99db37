import {
  choice,
  flag,
  input,
  map,
  multiline,
  names,
  nullable,
  optional,
  type Static,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";

/** Longest body and style of a template, in characters (money §14). */
export const MOST_HTML = 200_000;
export const MOST_CSS = 100_000;

/** The looks a template may have; `custom` is its own body. */
export const DESIGNS = ["classic", "letterhead", "custom"] as const;

const CLOSED = { additionalProperties: false, "x-usage": "both" };
const MOST_BLOCKS = 40;

/** A part that is always whole in answers and may be left out of a request. */
const part = <T extends Parameters<typeof Type.Object>[0]>(name: string, properties: T, fallback: object) =>
  Type.Object(properties, { $id: name, ...CLOSED, default: fallback });
const number = (minimum: number, maximum: number, fallback: number) =>
  optional(Type.Number({ minimum, maximum, default: fallback }));
const texts = () => optional(map(multiline(), { default: {} }));

const NO_BACKGROUND = {
  enabled: false,
  file_id: null,
  use_logo: true,
  opacity: 0.04,
  scale: 78,
  x: 50,
  y: 50,
  rotate: 0,
  repeat: false,
};
const COLUMNS = { quantity: true, unit: false, unit_price: true, tax: true };

const TemplateBackground = part(
  "TemplateBackground",
  {
    enabled: optional(flag(false)),
    file_id: optional(nullable(uuid())),
    use_logo: optional(flag(true)),
    opacity: number(0, 1, NO_BACKGROUND.opacity),
    scale: number(5, 200, NO_BACKGROUND.scale),
    x: number(-50, 150, NO_BACKGROUND.x),
    y: number(-50, 150, NO_BACKGROUND.y),
    rotate: number(-180, 180, NO_BACKGROUND.rotate),
    repeat: optional(flag(false)),
  },
  NO_BACKGROUND,
);

const TemplateColumns = part(
  "TemplateColumns",
  {
    quantity: optional(flag(true)),
    unit: optional(flag(false)),
    unit_price: optional(flag(true)),
    tax: optional(flag(true)),
  },
  COLUMNS,
);

const key = () => text(MOST_BLOCKS, { minLength: 1 });
const TemplateField = Type.Object(
  { key: key(), enabled: optional(flag(true)), label_i18n: optional(names({ default: {} })) },
  { $id: "TemplateField", ...CLOSED },
);
const TemplateBlock = Type.Object(
  {
    key: key(),
    enabled: optional(flag(true)),
    fields: optional(Type.Array(TemplateField, { maxItems: MOST_BLOCKS, default: [] })),
  },
  { $id: "TemplateBlock", ...CLOSED },
);

/** What an empty template says. */
export const EMPTY_CONFIG = {
  design: "classic" as const,
  accent_color: null,
  show_logo: true,
  columns: COLUMNS,
  layout: [],
  background: NO_BACKGROUND,
  html: null,
  css: null,
  qr_style: "brand" as const,
  qr_color: null,
  qr_background: null,
  qr_logo: "brand" as const,
  qr_logo_file_id: null,
  qr_caption_i18n: {},
  intro_i18n: {},
  payment_i18n: {},
  footer_i18n: {},
};

/** How a template looks. Unknown keys are refused: a slip in a switch would print in silence. */
export const TemplateConfigSchema = Type.Object(
  {
    design: optional(choice(DESIGNS, { default: "classic" })),
    accent_color: optional(nullable(text(32))),
    show_logo: optional(flag(true)),
    columns: optional(TemplateColumns),
    layout: optional(Type.Array(TemplateBlock, { maxItems: MOST_BLOCKS, default: [] })),
    background: optional(TemplateBackground),
    // Too long a body has a message of its own (money §14), so its limit is looked at by `requireBody`.
    html: optional(nullable(multiline())),
    css: optional(nullable(multiline())),
    qr_style: optional(choice(["brand", "plain", "custom"], { default: "brand" })),
    qr_color: optional(nullable(text(32))),
    qr_background: optional(nullable(text(32))),
    qr_logo: optional(choice(["brand", "none", "custom"], { default: "brand" })),
    qr_logo_file_id: optional(nullable(uuid())),
    qr_caption_i18n: optional(names({ default: {} })),
    intro_i18n: texts(),
    payment_i18n: texts(),
    footer_i18n: texts(),
  },
  { $id: "TemplateConfig", ...CLOSED },
);
export type TemplateConfig = Static<typeof TemplateConfigSchema>;

/** A template that is not stored yet, to be looked at; `template_id` is the one it is to change. */
export const TemplatePreview = input("TemplatePreview", {
  config: TemplateConfigSchema,
  template_id: optional(nullable(uuid())),
});
