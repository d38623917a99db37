import type sanitizeHtml from "sanitize-html";

/** Placeholders for Liquid while a template is sanitised: characters no text needs (Unicode private use). */
const [OPEN, CLOSE] = ["\uE000", "\uE001"];
const PLACEHOLDER = new RegExp(`${OPEN}(\\d+)${CLOSE}`, "g");

const COLOR = [/^#([0-9a-f]{3}|[0-9a-f]{6})$/i];
const LENGTH = [/^\d{1,3}(\.\d{1,2})?(px|em|%)?( \d{1,3}(\.\d{1,2})?(px|em|%)?){0,3}$/];

/** The markup allowed in mail. Images load only web addresses; links also allow mail and phone; colours are hex (conventions §19). */
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

/** Removes everything from HTML that could execute, load or imitate: safe to show in a mail. */
export async function sanitised(html: string): Promise<string> {
  return (await loaded())(html.replaceAll(/[\uE000\uE001]/g, ""), OPTIONS);
}

/**
 * Replaces the Liquid in a text. One pass, because a pattern would search for the end of every opening mark again, to the end of the text.
 */
function withoutLiquid(template: string, replace: (part: string) => string): string {
  const ends = { "{{": "}}", "{%": "%}" } as const;
  const kept: string[] = [];
  const isUnclosed = { "{{": false, "{%": false };
  let from = 0;
  for (let at = template.indexOf("{"); at >= 0; at = template.indexOf("{", at + 1)) {
    const open = template.slice(at, at + 2) as keyof typeof ends;
    if (!Object.hasOwn(ends, open) || isUnclosed[open]) continue;
    const end = template.indexOf(ends[open], at + 2);
    if (end < 0) {
      isUnclosed[open] = true;
      continue;
    }
    kept.push(template.slice(from, at), replace(template.slice(at, end + 2)));
    from = end + 2;
    at = end + 1;
  }
  return kept.join("") + template.slice(from);
}

/** Sanitises a template and keeps its Liquid; rendering sanitises the inserted values again. */
export async function sanitisedTemplate(template: string): Promise<string> {
  const liquid: string[] = [];
  const masked = withoutLiquid(template.replaceAll(/[\uE000\uE001]/g, ""), (part) => `${OPEN}${liquid.push(part) - 1}${CLOSE}`);
  const clean = (await loaded())(masked, OPTIONS);
  return clean.replace(PLACEHOLDER, (_, index: string) => liquid[Number(index)] ?? "");
}
