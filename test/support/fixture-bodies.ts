/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: boolean | Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  default?: unknown;
  description?: string;
  $ref?: string;
  [keyword: string]: unknown;
}

/** What makes the values that a schema alone cannot tell. */
export interface Fill {
  /** An id that may stand in the field or parameter of that name. */
  reference(name: string): Promise<string>;
  /** A value by field name; undefined leaves it to the schema. */
  value?(name: string): unknown;
  /** A file of the type the operation takes. */
  bytes?(): Buffer;
  /** Goes into every free text, so that two bodies differ and a row can be found again. */
  token: string;
}

const FORMATS: Record<string, unknown> = {
  date: "2026-03-02",
  "date-time": "2026-03-02T09:30:00Z",
  time: "09:30:00",
  decimal: "12.50",
  email: "somebody@example.com",
  password: "a password nobody has",
  uri: "https://www.example.com",
};

/** The schema's own type: of a nullable one the type beside null. */
export function plain(schema: Schema): Schema & { type: string } {
  const [first] = (schema.anyOf ?? schema.oneOf ?? []).filter((one) => one.type !== "null");
  const chosen = first ? plain(first) : schema;
  const type = [chosen.type ?? (chosen.properties ? "object" : "string")].flat().find((name) => name !== "null") ?? "null";
  return { ...chosen, type };
}

export const isNullable = ({ type, anyOf, oneOf }: Schema): boolean =>
  [type ?? []].flat().includes("null") || [...(anyOf ?? []), ...(oneOf ?? [])].some((one) => one.type === "null");

/** Makes a value that the schema accepts, with every optional property filled in. */
export async function validValue(schema: Schema, name: string, fill: Fill): Promise<unknown> {
  const known = fill.value?.(name);
  if (known !== undefined) return known;
  const one = plain(schema);
  if (one.const !== undefined) return one.const;
  if (one.enum) return one.enum.find((value) => value !== null);
  switch (one.type) {
    case "object": {
      const made: Record<string, unknown> = {};
      for (const [key, part] of Object.entries(one.properties ?? {})) made[key] = await validValue(part, key, fill);
      return made;
    }
    case "array":
      return [await validValue(one.items ?? {}, name.replace(/s$/, ""), fill)];
    case "integer":
    case "number":
      return Math.min(Math.max(1, one.minimum ?? 1), one.maximum ?? 1);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      if (one.format === "uuid") return fill.reference(name);
      if (one.format === "binary") return fill.bytes?.() ?? "";
      if (one.format && one.format in FORMATS) return FORMATS[one.format];
      return `${fill.token} ${name}`.padEnd(one.minLength ?? 0, "x").slice(0, one.maxLength ?? 255);
  }
}

/** Values the schema must refuse, whatever else the body holds. */
export function wrongValues(schema: Schema): unknown[] {
  const one = plain(schema);
  switch (one.type) {
    case "object":
      return ["text", 1, [1]];
    case "array": {
      const [inner] = one.items ? wrongValues(one.items) : [];
      return ["text", 1, {}, ...(inner === undefined ? [] : [[inner]])];
    }
    case "integer":
      return ["text", 1.5, {}, ...(one.maximum === undefined ? [] : [one.maximum + 1])];
    case "number":
      return ["text", {}];
    case "boolean":
      return ["perhaps", 2, {}];
    default: {
      const wrong: unknown[] = [{}, ["text"], true, ...(one.format === "decimal" ? [] : [1])];
      if (one.enum) wrong.push("no such value");
      else if (one.format !== "password" && one.format !== undefined) wrong.push("not of this form");
      if (one.maxLength !== undefined) wrong.push("x".repeat(one.maxLength + 1));
      if (one.minLength) wrong.push("");
      return wrong;
    }
  }
}

/** Text values of a path or query parameter that its schema must refuse. */
export function wrongTexts(schema: Schema): string[] {
  const one = plain(schema);
  if (one.type === "integer") return ["text", "1.5", ...(one.minimum === undefined ? [] : [String(one.minimum - 1)])];
  if (one.type === "boolean") return ["perhaps"];
  if (one.type === "number") return ["text"];
  if (one.enum) return ["no such value"];
  return one.format !== undefined && one.format !== "password" ? ["not-of-this-form"] : [];
}

/** Where a body refers to rows: the path to each field of format uuid, with the field's name. */
export function referencesOf(schema: Schema, name = "", place: string[] = []): { name: string; place: string[] }[] {
  const one = plain(schema);
  if (one.type === "string") return one.format === "uuid" ? [{ name, place }] : [];
  if (one.type === "array") return referencesOf(one.items ?? {}, name.replace(/s$/, ""), [...place, "0"]);
  return Object.entries(one.properties ?? {}).flatMap(([key, part]) => referencesOf(part, key, [...place, key]));
}

/** A copy of a body with another value at a place. */
export function replaced(body: unknown, place: readonly string[], value: unknown): unknown {
  const [key, ...rest] = place;
  if (key === undefined) return value;
  if (Array.isArray(body)) return body.with(Number(key), replaced(body[Number(key)], rest, value));
  return { ...(body as object), [key]: replaced((body as Record<string, unknown>)[key], rest, value) };
}
