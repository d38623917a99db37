const KIND = /^[a-z][a-z0-9_.:-]{0,63}$/;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/;
const MASK = "***";

/** The text if it consists of kinds, ids and instants; anything else may be about a person and is masked. */
const shown = (text: string): string =>
  text.split(" ").every((part) => KIND.test(part) || ID.test(part) || INSTANT.test(part)) ? text : MASK;

/** A payload as operators see it: kinds, ids, instants, numbers and flags; all other text is masked. */
export function masked<T>(value: T): T {
  if (typeof value === "string") return shown(value) as T;
  if (Array.isArray(value)) return value.map(masked) as T;
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([field, part]) => [field, masked(part)])) as T;
}
