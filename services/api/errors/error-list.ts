import { catalogue, errorCatalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { type ErrorEntry, findError } from "../../../core/errors/errors.ts";
import { AREAS, areaOf } from "../areas.ts";
import { pageName } from "./error-addresses.ts";
import { FURTHER } from "./error-operations.ts";
import { type ErrorText, errorText, keyText } from "./error-texts.ts";

/** What one page is about: a code with its messages, a message, or a key that an answer carries elsewhere. */
export interface ErrorPage {
  /** Its name in the address. */
  name: string;
  /** The errors with this code or message, the general one first. */
  entries: readonly ErrorEntry[];
  /** The key that `fields` or a stored result carries, if it is one. */
  key?: { name: string; in: "fields" | "result"; text: ErrorText };
  area: string;
}

/** Title of the group of errors that any operation can return. */
const EVERYWHERE = "Every call";

/** The area of each module: that of its first tag that an area lists. */
function areasOfModules(): Map<string, string> {
  const titles = new Map<string, string>();
  for (const { manifest } of catalogue().built) {
    const area = Object.keys(manifest.tags ?? {})
      .map((tag) => areaOf(tag)?.title)
      .find((title) => title !== undefined);
    titles.set(manifest.key, area ?? (manifest.kind === "core" ? EVERYWHERE : FURTHER));
  }
  return titles;
}

/** The general error of a name first, then by message. */
function ordered(name: string, entries: readonly ErrorEntry[]): ErrorEntry[] {
  const general = findError(name);
  const rank = (entry: ErrorEntry) => (entry === general ? 0 : entry.message === `errors.${name}` ? 1 : 2);
  return entries.toSorted((one, other) => rank(one) - rank(other));
}

let pages: ReadonlyMap<string, ErrorPage> | undefined;

/** The pages of every code, every message, and every key that `fields` or a stored result can carry, by name; made once. */
export function allErrorPages(): ReadonlyMap<string, ErrorPage> {
  if (pages) return pages;
  const areas = areasOfModules();
  const areaIn = (module: string) => areas.get(module) ?? EVERYWHERE;
  const named = new Map<string, ErrorEntry[]>();
  for (const entry of errorCatalogue().filter(({ built }) => built))
    for (const name of new Set([entry.code, pageName(entry.message)])) named.set(name, [...(named.get(name) ?? []), entry]);
  const made = new Map<string, ErrorPage>();
  for (const [name, entries] of named) {
    const modules = new Set(entries.map(({ module }) => module));
    const area = modules.size === 1 ? areaIn([...modules][0] as string) : EVERYWHERE;
    made.set(name, { name, entries: ordered(name, entries), area });
  }
  for (const { manifest } of catalogue().built)
    for (const [location, texts] of [["fields", manifest.fieldTexts] as const, ["result", manifest.resultTexts] as const])
      for (const [key, text] of Object.entries(texts ?? {})) {
        const name = pageName(key);
        const known = made.get(name) ?? { name, entries: [], area: areaIn(manifest.key) };
        made.set(name, { ...known, key: { name: key, in: location, text: keyText(text, location) } });
      }
  pages = made;
  return pages;
}

/** Whether a code or key has a page. */
export const isErrorName = (name: string): boolean => allErrorPages().has(pageName(name));

/** Pages by area, in the order of the reference: first those of every call, last those of further modules. */
export function pagesByArea(): [area: string, pages: ErrorPage[]][] {
  const order = [EVERYWHERE, ...AREAS.map(({ title }) => title), FURTHER];
  const sorted = [...allErrorPages().values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const groups = Map.groupBy(sorted, ({ area }) => area);
  return [...groups].toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other));
}

/** What an error means, in general: the text of its first entry, otherwise of its key. */
export function meaningOf({ entries: [general], key, name }: ErrorPage): ErrorText {
  if (general && (general.code === name || pageName(general.message) === name)) return errorText(general);
  if (key) return key.text;
  throw new TypeError(`the error '${name}' has no text`);
}
