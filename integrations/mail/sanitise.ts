import type sanitizeHtml from "sanitize-html";

/** Stand for Liquid while a template is sanitised: characters no text needs (Unicode private use). */
const [OPEN, CLOSE] = ["\uE000", "\uE001"];
const LIQUID = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;
const PLACEHOLDER = new RegExp(`${OPEN}(\\d+)${CLOSE}`, "g");

const COLOR = [/^#([0-9a-f]{3}|[0-9a-f]{6})$/i];
const LENGTH = [/^\d{1,3}(\.\d{1,2})?(px|em|%)?( \d{1,3}(\.\d{1,2})?(px|em|%)?){0,3}$/];

/** What markup a mail may hold. Images and links lead to web addresses only; colours are hex (conventions §19). */
const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: (
    "p br hr h1 h2 h3 h4 strong b em i u s small sub sup blockquote pre code span div a img ul ol li " +
    "table thead tbody tfoot tr th td"
  ).split(" "),
  allowedAttributes: { a: ["href", "title"], img: ["src", "alt", "width", "height"], td: ["colspan", "rowspan"], "*": ["style"] },
  allowedClasses: { a: ["button"] },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowedSchemesByTag: { img: ["http", "https"] },
  allowProtocolRelative: false,
  allowedStyles: {
    "*": {
      color: COLOR,
      "background-color": COLOR,
      "border-color": COLOR,
      "text-align": [/^(left|right|center|justify)$/],
      "text-decoration": [/^(none|underline|line-through)$/],
      "font-weight": [/^(normal|bold|[1-9]00)$/],
      "font-style": [/^(normal|italic)$/],
      "font-size": LENGTH,
      "line-height": LENGTH,
      margin: LENGTH,
      padding: LENGTH,
      width: LENGTH,
      "max-width": LENGTH,
    },
  },
  nonTextTags: [
    "script",
    "style",
    "textarea",
    "option",
    "noscript",
    "title",
    "iframe",
    "object",
    "embed",
    "svg",
    "math",
    "template",
  ],
  nestingLimit: 50,
};

async function loaded(): Promise<typeof sanitizeHtml> {
  return (await import("sanitize-html")).default;
}

/** HTML with everything gone that could run, load or imitate: safe to show in a mail. */
export async function sanitised(html: string): Promise<string> {
  return (await loaded())(html.replaceAll(/[\uE000\uE001]/g, ""), OPTIONS);
}

/** The same for a template: its Liquid stays as it is, and what it puts in is sanitised again when the mail is made. */
export async function sanitisedTemplate(template: string): Promise<string> {
  const liquid: string[] = [];
  const masked = template.replaceAll(/[\uE000\uE001]/g, "").replace(LIQUID, (part) => `${OPEN}${liquid.push(part) - 1}${CLOSE}`);
  const clean = (await loaded())(masked, OPTIONS);
  return clean.replace(PLACEHOLDER, (_, index: string) => liquid[Number(index)] ?? "");
}
