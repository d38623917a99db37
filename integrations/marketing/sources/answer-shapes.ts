type Fields = Record<string, unknown>;

/** An answer that differs from the provider's documented shape. */
export class WrongShape extends Error {
  override name = "WrongShape";
}

/** @throws WrongShape unless it is a list */
export function listOf(value: unknown, what: string): Fields[] {
  if (!Array.isArray(value)) throw new WrongShape(`${what} is not a list`);
  return value.map((one) => requireObject(one, what));
}

/** @throws WrongShape unless it is an object */
export function requireObject(value: unknown, what: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new WrongShape(`${what} is not an object`);
  return value as Fields;
}

/** A number, or text that contains one; null for anything else. */
export function numberIn(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : null;
}

/** Text that is not blank, or a number as text; null for anything else. */
export function textIn(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}
