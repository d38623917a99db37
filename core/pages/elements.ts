import { type Html, html } from "./html.ts";

/** A message above a form; screen readers announce an error at once. */
export const notice = (text: string | null | undefined, bad = false): Html =>
  text ? html`<p class="${bad ? "notice bad" : "notice"}" role="${bad ? "alert" : "status"}" id="notice">${text}</p>` : html``;

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

/** A form that posts to a page, with hidden fields. */
export const form = (action: string, carried: Readonly<Record<string, string>>, inside: Html): Html =>
  html`<form method="post" action="${action}">${Object.entries(carried).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}
${inside}</form>`;

export const button = (label: string, plain = false): Html =>
  html`<button type="submit"${plain && html` class="plain"`}>${label}</button>`;
