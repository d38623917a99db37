import {
  choice,
  field,
  flag,
  input,
  map,
  multiline,
  names,
  nonEmpty,
  nullable,
  optional,
  type Static,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

/** Maximum length of a template's body and style, in characters (money §14). */
export const MOST_HTML = 200_000;
export const MOST_CSS = 100_000;

/** The designs of templates; `custom` is the template's own body. */
export const DESIGNS = ["classic", "letterhead", "custom"] as const;

const CLOSED = { additionalProperties: false, "x-usage": "both" };
const MOST_BLOCKS = 40;

/** An object that answers always contain in full and requests can omit. */
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
    enabled: field(optional(flag(false)), "Whether a picture is printed behind the text"),
    file_id: field(optional(nullable(uuid())), "The picture, a file of the organisation's branding; null without one"),
    use_logo: field(optional(flag(true)), "Whether the organisation's logo is that picture where `file_id` is null"),
    opacity: field(number(0, 1, NO_BACKGROUND.opacity), "From 0 (invisible) to 1"),
    scale: field(number(5, 200, NO_BACKGROUND.scale), "Width in percent of the page's"),
    x: field(number(-50, 150, NO_BACKGROUND.x), "Its middle, in percent of the page's width from the left"),
    y: field(number(-50, 150, NO_BACKGROUND.y), "Its middle, in percent of the page's height from the top"),
    rotate: field(number(-180, 180, NO_BACKGROUND.rotate), "Clockwise turn in degrees"),
    repeat: field(optional(flag(false)), "Whether it covers the page as tiles of half that width"),
  },
  NO_BACKGROUND,
);

const TemplateColumns = part(
  "TemplateColumns",
  {
    quantity: field(optional(flag(true)), "Whether the quantity of a line is printed"),
    unit: field(optional(flag(false)), "Whether its unit is printed"),
    unit_price: field(optional(flag(true)), "Whether its unit price is printed"),
    tax: field(optional(flag(true)), "Whether its tax percentage is printed"),
  },
  COLUMNS,
);

const key = () => nonEmpty(MOST_BLOCKS);
const TemplateField = Type.Object(
  {
    key: field(key(), "Key of the field, from `GET /invoicing/template-blocks`; an unknown one is ignored"),
    enabled: field(optional(flag(true)), "Whether it is printed; locked fields always are"),
    label_i18n: field(optional(names({ default: {} })), "Label by language instead of the built-in one"),
  },
  { $id: "TemplateField", ...CLOSED },
);
const TemplateBlock = Type.Object(
  {
    key: field(key(), "Key of the block, from `GET /invoicing/template-blocks`; an unknown one is ignored"),
    enabled: field(optional(flag(true)), "Whether it is printed; locked blocks always are"),
    fields: field(
      optional(Type.Array(TemplateField, { maxItems: MOST_BLOCKS, default: [] })),
      "Fields of the block that differ from the catalogue, in the order they are printed",
    ),
  },
  { $id: "TemplateBlock", ...CLOSED },
);

/** The configuration of an empty template. */
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

/** The look of a template. Rejects unknown keys: a misspelt switch would otherwise be ignored silently. */
export const TemplateConfigSchema = Type.Object(
  {
    design: field(
      optional(choice(DESIGNS, { default: "classic" })),
      "`classic`, `letterhead`, or `custom` for its own body in `html`",
    ),
    accent_color: field(optional(nullable(text(32))), "Accent colour as `#rrggbb`; null uses the organisation's"),
    show_logo: field(optional(flag(true)), "Whether the logo is printed"),
    columns: field(optional(TemplateColumns), "Columns of the lines"),
    layout: field(
      optional(Type.Array(TemplateBlock, { maxItems: MOST_BLOCKS, default: [] })),
      "Blocks that differ from the catalogue, in the order they are printed; others keep their place and default",
    ),
    background: field(optional(TemplateBackground), "The picture behind the text"),
    // A body that is too long has its own message (money §14), so `requireBody` checks its length.
    html: field(
      optional(nullable(multiline())),
      "Body of the `custom` design, HTML with Liquid, up to 200,000 characters; null without one. Only holders of `invoicing.template.author` can change it",
    ),
    css: field(
      optional(nullable(multiline())),
      "Style sheet of that body, up to 100,000 characters; null without one. Only holders of `invoicing.template.author` can change it",
    ),
    qr_style: field(
      optional(choice(["brand", "plain", "custom"], { default: "brand" })),
      "`brand` has the accent colour, `plain` is black, `custom` has `qr_color` and `qr_background`",
    ),
    qr_color: field(
      optional(nullable(text(32))),
      "Dark colour of a `custom` code as `#rrggbb`; null uses the default. A pair with too little contrast prints as #171717 on #ffffff",
    ),
    qr_background: field(optional(nullable(text(32))), "Light colour of a `custom` code as `#rrggbb`; null uses white"),
    qr_logo: field(
      optional(choice(["brand", "none", "custom"], { default: "brand" })),
      "Logo in the middle of a `custom` code: `brand` for the organisation's, `none`, or `custom` for the file `qr_logo_file_id`",
    ),
    qr_logo_file_id: field(optional(nullable(uuid())), "That file, of the organisation's branding; null without one"),
    qr_caption_i18n: field(optional(names({ default: {} })), "Text under the code by language; empty uses the built-in one"),
    intro_i18n: field(texts(), "Markdown above the lines by language, for documents without an intro of their own"),
    payment_i18n: field(texts(), "Markdown of the payment instructions by language; empty uses the built-in ones"),
    footer_i18n: field(texts(), "Markdown at the foot of the document by language"),
  },
  { $id: "TemplateConfig", ...CLOSED },
);
export type TemplateConfig = Static<typeof TemplateConfigSchema>;

/** An unsaved template to preview; `template_id` is the template it would change. */
export const TemplatePreview = input("TemplatePreview", {
  config: field(TemplateConfigSchema, "Design to preview, in place of the stored `config`"),
  template_id: field(
    optional(nullable(uuid())),
    "The stored template that the preview changes; null for a new one. Without `invoicing.template.author` only its stored `html` and `css` are accepted",
  ),
});
