/** Deepest allowed nesting; the JSON functions of Node and PostgreSQL run out of stack on much deeper values. */
const MOST_LEVELS = 100;

/** Whether lists and objects are nested within `levels`. */
export function isShallow(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

/** A text of a provider, ready to store, in JSON too: without NUL, and with U+FFFD for half of a surrogate pair. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "");

/** The beginning of a text, at most `most` UTF-16 units, without half of a surrogate pair at the end: PostgreSQL rejects it in JSON. */
export function shortened(text: string, most: number): string {
  const kept = text.slice(0, most);
  return kept.length < text.length && /[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept;
}
