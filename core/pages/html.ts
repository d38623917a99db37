import { escapedHtml } from "../values/text.ts";

/** Markup that is safe to send as is. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | undefined | false | readonly Part[];

function textOf(part: Part): string {
  if (part === null || part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(textOf).join("");
  return escapedHtml(String(part));
}

/** Markup with embedded values: strings are escaped; `Html` and arrays of it are not; null, undefined and false render nothing. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.reduce((before, text, index) => before + textOf(parts[index - 1]) + text));
