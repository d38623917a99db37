import type { JsonSchema } from "./openapi-components.ts";

const TEXTS: Record<string, string> = {
  address_line1: "Oudegracht",
  address_line2: "2nd floor",
  city: "Utrecht",
  client_number: "C-0001",
  coc_number: "12345678",
  code: "123456",
  color: "#1f6feb",
  colour: "#1f6feb",
  country: "NL",
  currency: "EUR",
  description: "Agreed by phone on Monday.",
  domain: "vandijkbouw.example",
  email: "anna@example.com",
  entity_type: "company",
  exchange: "mail.example.com",
  first_name: "Anna",
  full_name: "Anna de Vries",
  hostname: "demo.localhost",
  house_number: "112",
  iban: "NL91ABNA0417164300",
  icon: "star",
  key: "main",
  language: "nl",
  last_name: "de Vries",
  legal_name: "Van Dijk Bouw B.V.",
  locale: "nl",
  message: "Agreed by phone on Monday.",
  name: "Van Dijk Bouw",
  notes: "Prefers e-mail.",
  period: "month",
  phone: "+31302345678",
  postal_code: "3511 AB",
  role: "member",
  slug: "demo",
  status: "active",
  subject: "Your invoice",
  timezone: "Europe/Amsterdam",
  tld: "nl",
  title: "Website relaunch",
  username: "anna@example.com",
  url: "https://www.example.com",
  vat_number: "NL123456789B01",
  version: "1.0.0",
  website: "www.example.com",
};

const FORMATS: Record<string, string> = {
  date: "2026-03-02",
  "date-time": "2026-03-02T09:30:00Z",
  decimal: "125.00",
  email: "anna@example.com",
  password: "correct horse battery staple",
  time: "09:30",
  uri: "https://www.example.com",
};

const NUMBERS: Record<string, number> = { limit: 50, minutes: 480, month: 3, offset: 0, position: 0, total: 1, year: 2026 };

/** Tried in turn for a text with a pattern. */
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
const singular = (name: string) => name.replace(/s$/, "");
const sentence = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");

/** The same well-formed UUID for the same name, so that equal names agree across the document. */
function idFor(name: string): string {
  let hash = 0x811c9dc5;
  for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0;
  const hex = hash.toString(16).padStart(8, "0");
  return `${hex}-0c1e-4a5b-8d2f-${hex}0001`;
}

interface TextSchema {
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
}

function textOf(schema: JsonSchema, name: string): string | undefined {
  const { format = "", pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema as TextSchema;
  if (format === "binary") return undefined;
  if (format === "uuid") return idFor(name);
  const known = FORMATS[format] ?? TEXTS[name] ?? TEXTS[lastWord(name)] ?? sentence(name);
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

function objectOf(schema: JsonSchema, name: string, depth: number): Record<string, unknown> | undefined {
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
  for (const [name, part] of Object.entries(properties)) {
    const value = derive(part, name, depth + 1);
    if (value !== undefined) made[name] = value;
    else if (required.includes(name)) return undefined;
  }
  if (typeof additionalProperties === "object" && additionalProperties !== null && Object.keys(made).length === 0) {
    if (name.endsWith("_i18n")) return { nl: "Onderhoud", en: "Maintenance" };
    const value = derive(additionalProperties as JsonSchema, "value", depth + 1);
    if (value !== undefined) made["key"] = value;
  }
  return made;
}

function arrayOf({ items, minItems = 0, uniqueItems }: JsonSchema, name: string, depth: number): unknown[] | undefined {
  const item = derive((items ?? {}) as JsonSchema, singular(name), depth + 1);
  const least = minItems as number;
  if (item === undefined || (uniqueItems && least > 1)) return least === 0 ? [] : undefined;
  return Array.from({ length: Math.max(1, least) }, () => item);
}

function derive(schema: JsonSchema, name: string, depth: number): unknown {
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
  if (parts) return parts.map((part) => derive(part, name, depth + 1)).find((value) => value !== undefined && value !== null);
  if (allOf) return Object.assign({}, ...(allOf as JsonSchema[]).map((part) => derive(part, name, depth + 1)));
  const kind = Array.isArray(type) ? type.find((one) => one !== "null") : type;
  if (kind === "string") return textOf(schema, name);
  if (kind === "integer" || kind === "number") return numberOf(schema, name);
  if (kind === "boolean") return true;
  if (kind === "array") return arrayOf(schema, name, depth);
  if (kind === "object") return objectOf(schema, name, depth);
  return kind === "null" ? null : undefined;
}

/** A plausible value that satisfies a declared schema, the same every time; undefined where none can be made, for instance bytes. */
export const exampleOf = (schema: unknown): unknown => derive(schema as JsonSchema, "value", 0);
