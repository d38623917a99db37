import { exampleId } from "./examples/example-ids.ts";
import { recordText } from "./examples/example-records.ts";
import { EXAMPLE_TEXTS } from "./examples/example-texts.ts";
import type { JsonSchema } from "./openapi-components.ts";

const FORMATS: Record<string, string> = {
  date: "2026-03-02",
  "date-time": "2026-03-02T09:30:00Z",
  decimal: "125.00",
  email: "anna@example.com",
  password: "correct horse battery staple",
  time: "09:30",
  uri: "https://www.example.com",
};

const INSTANT = /T.*Z$/;
/** Ends of time spans, different from their starts. */
const ENDS: Record<string, string> = {
  end: "17:00",
  end_time: "17:00",
  ended_at: "2026-03-02T11:00:00Z",
  ends_at: "2026-03-02T11:00:00Z",
  quiet_hours_end: "07:00",
};

/** A name or a description by language. */
const BY_LANGUAGE = { nl: "Intern overleg", en: "Internal meeting" };

const NUMBERS: Record<string, number> = {
  allocated_minutes: 240,
  break_minutes: 30,
  days_per_year: 12,
  notice_period_days: 30,
  reminder_days: 7,
  limit: 50,
  minutes: 480,
  month: 3,
  offset: 0,
  position: 0,
  total: 1,
  year: 2026,
};

/** Candidates for a text with a pattern, tried in order. */
const PATTERN_TEXTS = [
  "#1f6feb",
  "1f6feb",
  "A1",
  "a",
  "1",
  "123456",
  "09:30",
  "2026-03",
  "2026",
  "nl",
  "EUR",
  "a.b",
  "+31302345678",
];

const lastWord = (name: string) => name.slice(name.lastIndexOf("_") + 1);
const singular = (name: string) => name.replace(/(?<=us)es$|s$/, "");

/** Stands for a text whose field has no example; a test shows that none is left. */
export const UNKNOWN_TEXT = "No example";

/** How deep a part is nested, whether the example is a request body, and the name of the schema that has the field. */
interface ExampleContext {
  depth: number;
  isSent: boolean;
  record?: string;
}

interface TextSchema {
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
}

function textOf(schema: JsonSchema, name: string, record = ""): string | undefined {
  const { format = "", pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema as TextSchema;
  if (format === "binary") return undefined;
  if (format === "uuid") return exampleId(name);
  const known =
    (format === "time" || (format === "date-time" && INSTANT.test(ENDS[name] ?? "")) ? ENDS[name] : undefined) ??
    FORMATS[format] ??
    recordText(record, name) ??
    EXAMPLE_TEXTS[name] ??
    EXAMPLE_TEXTS[singular(name)] ??
    EXAMPLE_TEXTS[lastWord(name)] ??
    EXAMPLE_TEXTS[singular(lastWord(name))] ??
    UNKNOWN_TEXT;
  if (pattern === undefined || new RegExp(pattern, "u").test(known.slice(0, maxLength)))
    return known.length <= maxLength ? known.padEnd(minLength, "x") : known.slice(0, maxLength).padEnd(minLength, "x");
  const shape = new RegExp(pattern, "u");
  return [known, ...PATTERN_TEXTS].find((text) => shape.test(text) && text.length >= minLength && text.length <= maxLength);
}

function numberOf(schema: JsonSchema, name: string): number {
  const { minimum, maximum, exclusiveMinimum, multipleOf } = schema as Record<string, number | undefined>;
  const least = Math.max(
    minimum ?? Number.NEGATIVE_INFINITY,
    exclusiveMinimum === undefined ? Number.NEGATIVE_INFINITY : exclusiveMinimum + 1,
  );
  const wanted = Math.min(Math.max(NUMBERS[name] ?? NUMBERS[lastWord(name)] ?? 1, least), maximum ?? Number.POSITIVE_INFINITY);
  return multipleOf === undefined ? wanted : Math.ceil(wanted / multipleOf) * multipleOf;
}

/** Whether a schema contains a record's id: callers must send their own organisation's ids, which no example knows. */
function namesRecord({ format, type, items, anyOf, properties = {}, required = [] }: JsonSchema): boolean {
  if (format === "uuid") return true;
  if (anyOf) return (anyOf as JsonSchema[]).every((part) => part["type"] === "null" || namesRecord(part));
  if ([type].flat().includes("array") && items) return namesRecord(items as JsonSchema);
  return (required as string[]).some((name) => namesRecord((properties as Record<string, JsonSchema>)[name] ?? {}));
}

function objectOf(
  schema: JsonSchema,
  name: string,
  { depth, isSent, record: outer = "" }: ExampleContext,
): Record<string, unknown> | undefined {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
    additionalProperties?: unknown;
  };
  const made: Record<string, unknown> = {};
  const record = (schema["$id"] as string | undefined) ?? outer;
  for (const [key, part] of Object.entries(properties)) {
    if (isSent && !required.includes(key) && namesRecord(part)) continue;
    const value = derive(part, key, { depth: depth + 1, isSent, record });
    if (value !== undefined) made[key] = value;
    else if (required.includes(key)) return undefined;
  }
  if (typeof additionalProperties === "object" && additionalProperties !== null && Object.keys(made).length === 0) {
    if (name.endsWith("_i18n")) return { ...BY_LANGUAGE };
    const value = derive(additionalProperties as JsonSchema, "value", { depth: depth + 1, isSent });
    if (value !== undefined) made["key"] = value;
  }
  return made;
}

function arrayOf(
  { items, minItems = 0, uniqueItems }: JsonSchema,
  name: string,
  { depth, isSent }: ExampleContext,
): unknown[] | undefined {
  const item = derive((items ?? {}) as JsonSchema, singular(name), { depth: depth + 1, isSent });
  const least = minItems as number;
  if (item === undefined || (uniqueItems && least > 1)) return least === 0 ? [] : undefined;
  return Array.from({ length: Math.max(1, least) }, () => item);
}

function derive(schema: JsonSchema, name: string, place: ExampleContext): unknown {
  const { depth, isSent } = place;
  if (depth > 8) return undefined;
  const { example, examples, const: constant, enum: values, default: fallback, type, anyOf, oneOf, allOf } = schema;
  const given =
    example ??
    (examples as unknown[] | undefined)?.[0] ??
    constant ??
    (values as unknown[] | undefined)?.find((one) => one !== null);
  if (given !== undefined) return given;
  if (fallback !== undefined && fallback !== null && fallback !== "" && typeof fallback !== "object") return fallback;
  const parts = (anyOf ?? oneOf) as JsonSchema[] | undefined;
  if (parts)
    return parts
      .map((part) => derive(part, name, { ...place, depth: depth + 1 }))
      .find((value) => value !== undefined && value !== null);
  if (allOf) return Object.assign({}, ...(allOf as JsonSchema[]).map((part) => derive(part, name, { depth: depth + 1, isSent })));
  const kind = Array.isArray(type) ? type.find((one) => one !== "null") : type;
  if (kind === "string") return textOf(schema, name, place.record);
  if (kind === "integer" || kind === "number") return numberOf(schema, name);
  if (kind === "boolean") return true;
  if (kind === "array") return arrayOf(schema, name, place);
  if (kind === "object") return objectOf(schema, name, place);
  return kind === "null" ? null : undefined;
}

/** A plausible value for a declared schema, always the same; undefined if impossible, for instance for bytes. */
export const exampleOf = (schema: unknown, name = "value"): unknown =>
  derive(schema as JsonSchema, name, { depth: 0, isSent: false });

/** An example body to send as it is: it omits optional references to records. */
export const bodyExampleOf = (schema: unknown): unknown => derive(schema as JsonSchema, "value", { depth: 0, isSent: true });
