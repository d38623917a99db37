import type { Liquid, Template } from "liquidjs";
import type { MailValue } from "../../core/mail/mail.ts";

/** Longest subject and body an organisation may write, in characters. */
export const MOST_SUBJECT = 255;
export const MOST_BODY = 50_000;
/** Longest text a template may grow to. */
const MOST_RENDERED = 200_000;

const TAGS = new Set(["if", "unless", "case", "for", "break", "continue", "assign", "comment"]);
const FILTERS = new Set(
  "append capitalize default downcase first join last prepend replace size slice strip truncate truncatewords upcase".split(" "),
);

/** What a value becomes where it is put in: HTML escapes it, and no filter can undo that. */
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
    // What is left neither reads files nor includes, and every loop is bounded by time, memory and size.
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
 * Whether a text is a template that uses nothing but these names.
 * @returns false for broken Liquid, a tag, filter or variable there is not
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
 * A template with its values put in.
 * @throws Error for a template that is none, or that takes too long or grows too large
 */
export async function render(source: string, medium: Medium, values: Readonly<Record<string, MailValue>>): Promise<string> {
  const engine = await engineFor(medium);
  const parsed: Template[] = engine.parse(source);
  const text = String(await engine.render(parsed, values));
  if (text.length > MOST_RENDERED) throw new Error("the text has grown too large");
  return text;
}

/** Characters that end a line, steer a terminal or turn text around: none belongs into a name or a header. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** One line without control characters, for headers and names. */
export const oneLine = (text: string): string => text.replace(UNPRINTABLE, " ").replace(/\s+/g, " ").trim();

/** A value without control characters; lines and tabs of longer texts stay. */
export function printable(value: MailValue): MailValue {
  if (typeof value === "string") return value.replace(UNPRINTABLE, (character) => (/[\n\t]/.test(character) ? character : " "));
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(printable);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, printable(one as MailValue)]));
}
