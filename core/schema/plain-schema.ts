import { PRIVATE_KEYWORDS } from "./validation.ts";

export type JsonSchema = Record<string, unknown>;

/** Keywords that concern only the API reference. */
const REFERENCE_ONLY = new Set(["$id", "example", "writeOnly"]);

const isRecord = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null && !Array.isArray(value);

/** What a schema is shown as (`shownAs`): null where it allows null, with its own default, description and example. */
export function shownSchema(schema: JsonSchema): JsonSchema {
  const { shown, type, default: fallback, description, example } = schema;
  if (!isRecord(shown)) return schema;
  return {
    ...([type].flat().includes("null") ? { anyOf: [shown, { type: "null" }] } : shown),
    ...(fallback !== undefined && { default: fallback }),
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
  };
}

function inner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inner);
  return isRecord(value) ? plainSchema(value) : value;
}

/** A declared schema as plain JSON Schema, without outside references: a named part that it refers to must be in the `$defs` of the whole. */
export function plainSchema(given: object): JsonSchema {
  const entries = Object.entries(shownSchema(given as JsonSchema)).flatMap(([key, value]): [string, unknown][] => {
    if (PRIVATE_KEYWORDS.has(key) || REFERENCE_ONLY.has(key) || key.startsWith("x-") || key.startsWith("~")) return [];
    // Property names are not keywords.
    if (key === "properties" && isRecord(value))
      return [[key, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainSchema(part as object)]))]];
    if (key === "default" || key === "enum" || key === "const" || key === "examples") return [[key, value]];
    // In JSON Schema, `time` requires an offset.
    if (key === "format" && value === "time") return [];
    if (key === "$ref") return [[key, `#/$defs/${String(value)}`]];
    if (key === "$defs") return [];
    return [[key, inner(value)]];
  });
  return Object.fromEntries(entries);
}

/** The named parts that a schema declares for its `$ref`s, wherever they are in it, as plain JSON Schema. */
export function definitionsIn(given: unknown): JsonSchema {
  if (typeof given !== "object" || given === null) return {};
  const own = (given as JsonSchema)["$defs"];
  const declared = isRecord(own) ? Object.entries(own).map(([name, part]) => [name, plainSchema(part as object)]) : [];
  return Object.assign(Object.fromEntries(declared), ...Object.values(given).map(definitionsIn)) as JsonSchema;
}
