import { randomBytes } from "node:crypto";
import { type Html, html, Html as Markup } from "../../../core/pages/html.ts";
import type { Reply } from "./inner.ts";
import { brandRules, STYLE_PATH } from "./style.ts";
import { refusalText, texts } from "./texts.ts";
import type { PageMarkup, Visit } from "./visit.ts";

/** Renders a whole document with its headers. It loads nothing from elsewhere except the organisation's own logo and icon. */
export function documentOf(
  { brand, locale, path, query }: Pick<Visit, "brand" | "locale" | "path" | "query">,
  { title, body, wide, locale: own, refresh, formTarget = "" }: Omit<PageMarkup, "status" | "cookies">,
): { text: string; headers: Record<string, string> } {
  const nonce = randomBytes(16).toString("base64");
  const [logo, icon] = [brand.logoUrl, brand.iconUrl].map((address) => (address && /^https?:/.test(address) ? address : null));
  const rules = brandRules(brand.color);
  const page = html`<!doctype html>
<html lang="${own ?? locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="same-origin">
${refresh && html`<meta http-equiv="refresh" content="${refresh.seconds};url=${refresh.address}">`}
<title>${title} · ${brand.name}</title>
${icon && html`<link rel="icon" href="${icon}">`}
<link rel="stylesheet" href="${STYLE_PATH}">
${rules && html`<style nonce="${nonce}">${new Markup(rules)}</style>`}
</head>
<body>
<main${wide && new Markup(' class="wide"')}>
<header class="brand">${logo && html`<img src="${logo}" alt="">`}<span>${brand.name}</span></header>
${body}
${own === undefined && languages(locale, path, query)}
</main>
</body>
</html>
`;
  const pictures = [...new Set([logo, icon].flatMap((address) => (address ? ` ${new URL(address).origin}` : [])))].join("");
  // Browsers also apply `form-action` to the redirect after a form, and only the provider knows its checkout's address.
  const ownParts =
    own === undefined ? `form-action 'self' ${formTarget}`.trimEnd() : "frame-src 'self'; form-action 'self' https:";
  const policy = `default-src 'none'; style-src 'self' 'nonce-${nonce}'; img-src 'self'${pictures}; ${ownParts}; frame-ancestors 'none'; base-uri 'none'`;
  return {
    text: page.text,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy,
      "Cache-Control": "no-store",
      // The markup says `same-origin`: under `no-referrer`, browsers post forms with the origin `null`.
      "Referrer-Policy": own === undefined ? "same-origin" : "no-referrer",
      "X-Content-Type-Options": "nosniff",
      "X-Frame-Options": "DENY",
      "X-Robots-Tag": own === undefined ? "noindex, nofollow" : "noindex, nofollow, noarchive",
    },
  };
}

/** Links to the page in the other languages. */
function languages(locale: string, path: string, query: URLSearchParams): Html {
  const others = Object.entries(texts).filter(([other]) => other !== locale);
  const address = (language: string) => {
    const changed = new URLSearchParams(query);
    changed.set("lang", language);
    return `${path}?${changed}`;
  };
  return html`<nav class="languages">${others.map(
    ([language, { language: name }]) =>
      html`<a href="${address(language)}" lang="${language}" hreflang="${language}">${name}</a>`,
  )}</nav>`;
}

/** The API's refusal in the visitor's language, or null. */
export function refusalOf({ locale }: Pick<Visit, "locale">, { error }: Reply): string | null {
  if (!error) return null;
  return refusalText(locale, ...Object.values(error.fields), error.message, error.code);
}
