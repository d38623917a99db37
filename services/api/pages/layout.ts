import { randomBytes } from "node:crypto";
import { type Html, html, Html as Markup } from "./html.ts";
import type { Reply } from "./inner.ts";
import { brandRules, STYLE_PATH } from "./style.ts";
import { refusalText, texts } from "./texts.ts";
import type { Visit } from "./visit.ts";

/** A whole document, with the headers it must be sent with: nothing of it comes from elsewhere but the organisation's own logo. */
export function documentOf(
  { brand, locale, path, query }: Pick<Visit, "brand" | "locale" | "path" | "query">,
  { title, body, wide }: { title: string; body: Html; wide?: boolean | undefined },
): { text: string; headers: Record<string, string> } {
  const nonce = randomBytes(16).toString("base64");
  const [logo, icon] = [brand.logoUrl, brand.iconUrl].map((address) => (address && /^https?:/.test(address) ? address : null));
  const rules = brandRules(brand.color);
  const page = html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="same-origin">
<title>${title} · ${brand.name}</title>
${icon && html`<link rel="icon" href="${icon}">`}
<link rel="stylesheet" href="${STYLE_PATH}">
${rules && html`<style nonce="${nonce}">${new Markup(rules)}</style>`}
</head>
<body>
<main${wide && new Markup(' class="wide"')}>
<header class="brand">${logo && html`<img src="${logo}" alt="">`}<span>${brand.name}</span></header>
${body}
${languages(locale, path, query)}
</main>
</body>
</html>
`;
  const pictures = [...new Set([logo, icon].flatMap((address) => (address ? ` ${new URL(address).origin}` : [])))].join("");
  const policy = `default-src 'none'; style-src 'self' 'nonce-${nonce}'; img-src 'self'${pictures}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;
  return {
    text: page.text,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy,
      "Cache-Control": "no-store",
      "Referrer-Policy": "same-origin",
      "X-Content-Type-Options": "nosniff",
      "X-Frame-Options": "DENY",
      "X-Robots-Tag": "noindex, nofollow",
    },
  };
}

/** The page in the other languages. */
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

/** Something to tell above a form; a refusal is read out at once. */
export const notice = (text: string | null | undefined, bad = false): Html =>
  text ? html`<p class="${bad ? "notice bad" : "notice"}" role="${bad ? "alert" : "status"}" id="notice">${text}</p>` : html``;

/** Why the API refused, in the visitor's words; null when it did not. */
export function refusalOf({ locale }: Pick<Visit, "locale">, { error }: Reply): string | null {
  if (!error) return null;
  return refusalText(locale, ...Object.values(error.fields), error.message, error.code);
}

interface Field {
  name: string;
  label: string;
  type?: string;
  value?: string | null | undefined;
  autocomplete?: string;
  hint?: string;
  required?: boolean;
  autofocus?: boolean;
  invalid?: boolean;
  inputmode?: string;
  id?: string;
  min?: string;
  max?: string;
}

/** A labelled field of a form. */
export function field({
  name,
  label,
  type = "text",
  value,
  autocomplete = "off",
  hint,
  required = true,
  autofocus,
  invalid,
  inputmode,
  id = name,
  min,
  max,
}: Field): Html {
  const described = [hint && `${id}-hint`, invalid && "notice"].filter(Boolean).join(" ");
  return html`<label for="${id}">${label}</label>
<input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}"${value && html` value="${value}"`}${
    required && html` required`
  }${autofocus && html` autofocus`}${invalid && html` aria-invalid="true"`}${described && html` aria-describedby="${described}"`}${
    inputmode && html` inputmode="${inputmode}"`
  }${min && html` min="${min}"`}${max && html` max="${max}"`}>
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}`;
}

/** A form that posts to a page, with what it carries along unseen. */
export const form = (action: string, carried: Readonly<Record<string, string>>, inside: Html): Html =>
  html`<form method="post" action="${action}">${Object.entries(carried).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}
${inside}</form>`;

export const button = (label: string, plain = false): Html =>
  html`<button type="submit"${plain && html` class="plain"`}>${label}</button>`;
