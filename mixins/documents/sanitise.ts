import type sanitizeHtml from "sanitize-html";
import { later } from "../../core/values/later.ts";

const sanitiser = later<typeof sanitizeHtml>("sanitize-html");

/** Allowed content of a template's body: structure, text, tables and embedded pictures. Nothing that runs, loads or submits. */
const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags:
    "a abbr address article aside b blockquote br caption cite code col colgroup dd del details div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins li main mark nav ol p pre q s section small span strong sub summary sup table tbody td tfoot th thead time tr u ul".split(
      " ",
    ),
  allowedAttributes: {
    "*": ["class", "id", "style", "title", "lang", "dir", "role", "aria-*", "scope", "colspan", "rowspan", "span"],
    a: ["href"],
    img: ["src", "alt", "width", "height"],
    time: ["datetime"],
    ol: ["start", "type"],
  },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowedSchemesByTag: { img: ["data"] },
  allowProtocolRelative: false,
  // A template's author can write the style sheet as well, so inline styles stay; the policy blocks whatever they load.
  parseStyleAttributes: false,
  nestingLimit: 100,
};

/** The printed body of a custom template, without anything that runs, loads or submits. */
export const sanitisedBody = (html: string): string => sanitiser()(html, OPTIONS);

/** A style sheet that cannot close its `<style>` element (money §14). */
export const containedCss = (css: string): string => css.replace(/<\/(?=style)/gi, "<\\/");

/** A text as a CSS string that can end neither the string nor the element. */
export const cssText = (text: string): string =>
  `"${text.replace(/[^\p{L}\p{N} .,·&@()+-]/gu, (character) => `\\${(character.codePointAt(0) as number).toString(16)} `)}"`;
