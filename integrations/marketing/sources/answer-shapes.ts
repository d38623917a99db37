type Fields = Record<string, unknown>;

/** An answer that is not of the shape its source is described with. */
export class WrongShape extends Error {
  override name = "WrongShape";
}

/** @throws WrongShape for anything but a list */
export function listOf(value: unknown, what: string): Fields[] {
  if (!Array.isArray(value)) throw new WrongShape(`${what} is no list`);
  return value.map((one) => fieldsOf(one, what));
}

/** @throws WrongShape for anything but an object */
export function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new WrongShape(`${what} is no object`);
  return value as Fields;
}

/** A number, also one that is written as text; null for anything else. */
export function numberIn(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : null;
}

/** A text that is not blank, or a number as text; null for anything else. */
export function textIn(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}
