/** Deepest allowed nesting; the JSON functions of Node and PostgreSQL run out of stack on much deeper values. */
const MOST_LEVELS = 100;

/** Whether lists and objects are nested within `levels`. */
export function isShallow(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

/** A text of a provider, ready to store, in JSON too: without NUL, and with U+FFFD for half of a surrogate pair. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "");

/** A provider's JSON value, ready to store: its texts and names as `storable` makes them; null if it is nested too deeply. */
export const storableValue = (value: unknown): unknown => (isShallow(value) ? storableWithin(value) : null);

function storableWithin(value: unknown): unknown {
  if (typeof value === "string") return storable(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(storableWithin);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [storable(name), storableWithin(inner)]));
}

/** The beginning of a text, at most `most` UTF-16 units, without half of a surrogate pair at the end: PostgreSQL rejects it in JSON. */
export function shortened(text: string, most: number): string {
  const kept = text.slice(0, most);
  return kept.length < text.length && /[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept;
}
