import type { Liquid, Template } from "liquidjs";
import type { MailValue } from "../../core/mail/mail.ts";

/** Maximum length of an organisation's subject and body, in characters. */
export const MOST_SUBJECT = 255;
export const MOST_BODY = 50_000;
/** Maximum length of a rendered template. */
const MOST_RENDERED = 200_000;

const TAGS = new Set(["if", "unless", "case", "for", "break", "continue", "assign", "comment"]);
const FILTERS = new Set(
  "append capitalize default downcase first join last prepend replace size slice strip truncate truncatewords upcase".split(" "),
);

/** How values are inserted: HTML escapes them, and no filter can undo that. */
export type Medium = "html" | "text";

interface Engines {
  html: Liquid;
  text: Liquid;
}
let engines: Promise<Engines> | undefined;

async function makeEngines(): Promise<Engines> {
  const { Liquid } = await import("liquidjs");
  const make = (escapes: boolean) => {
    const engine = new Liquid({
      templates: {},
      ownPropertyOnly: true,
      strictFilters: true,
      parseLimit: MOST_BODY * 2,
      renderLimit: 1_000,
      memoryLimit: 1_000_000,
      ...(escapes && { outputEscape: "escape" as const }),
    });
    // The remaining tags neither read files nor include, and time, memory and size bound every loop.
    for (const tag of Object.keys(engine.tags)) if (!TAGS.has(tag)) delete engine.tags[tag];
    for (const filter of Object.keys(engine.filters)) if (!FILTERS.has(filter)) delete engine.filters[filter];
    return engine;
  };
  return { html: make(true), text: make(false) };
}

async function engineFor(medium: Medium): Promise<Liquid> {
  engines ??= makeEngines();
  return (await engines)[medium];
}

/**
 * Whether a text is a valid template that uses only these names.
 * @returns false for broken Liquid, or an unknown tag, filter or variable
 */
export async function isTemplate(source: string, names: readonly string[]): Promise<boolean> {
  const engine = await engineFor("text");
  try {
    const parsed = engine.parse(source);
    return engine.globalVariablesSync(parsed).every((name) => names.includes(name));
  } catch {
    return false;
  }
}

/**
 * Renders a template with values.
 * @throws Error for an invalid template, or one that takes too long or grows too large
 */
export async function render(source: string, medium: Medium, values: Readonly<Record<string, MailValue>>): Promise<string> {
  const engine = await engineFor(medium);
  const parsed: Template[] = engine.parse(source);
  const text = String(await engine.render(parsed, values));
  if (text.length > MOST_RENDERED) throw new Error("the text has grown too large");
  return text;
}

/** Characters that end a line, control a terminal or reverse text; none belongs in a name or a header. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** One line without control characters, for headers and names. */
export const oneLine = (text: string): string => text.replace(UNPRINTABLE, " ").replace(/\s+/g, " ").trim();

/** Removes control characters from a value; line breaks and tabs of texts stay. */
export function printable(value: MailValue): MailValue {
  if (typeof value === "string") return value.replace(UNPRINTABLE, (character) => (/[\n\t]/.test(character) ? character : " "));
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(printable);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, printable(one as MailValue)]));
}
