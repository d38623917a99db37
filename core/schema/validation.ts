import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { isDate } from "../calendar/dates.ts";
import { isTime } from "../calendar/times.ts";
import { type ApiError, invalid } from "../errors/errors.ts";
import { decimal as decimalOf, isDecimal } from "../values/money.ts";
import { errorsByField, nearestKeys } from "./refused-fields.ts";
import { isDangerousLink, isEmail, readInstant, type Static, type TProperties, type TSchema } from "./schema.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DECIMAL = /^-?\d{1,15}(\.\d{1,10})?$/;

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, useDefaults: true, verbose: false });
formats.default(ajv, ["uri"]);
// PostgreSQL has no year 0.
ajv.addFormat("date", (value) => isDate(value) && !value.startsWith("0000"));
ajv.addFormat("time", isTime);
ajv.addFormat("uuid", UUID);
ajv.addFormat("email", isEmail);
ajv.addFormat("date-time", (value) => readInstant(value) !== null);
ajv.addFormat("decimal", DECIMAL);
ajv.addFormat("password", true);
ajv.addFormat("binary", true);
ajv.addKeyword({ keyword: "notNull", validate: (on: boolean, value: unknown) => !(on && value === null) });
ajv.addKeyword({
  keyword: "link",
  validate: (on: boolean, value: unknown) => !(on && typeof value === "string" && isDangerousLink(value)),
});
ajv.addKeyword({
  keyword: "decimalLimits",
  validate: (_on: boolean, value: unknown, schema?: { minimum?: number; exclusiveMinimum?: number; maximum?: number }) => {
    if (typeof value !== "string") return true;
    const { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity } = schema ?? {};
    return Number(value) >= minimum && Number(value) > exclusiveMinimum && Number(value) <= maximum;
  },
});
ajv.addKeyword({
  keyword: "decimalPlaces",
  validate: (places: number, value: unknown) => !isDecimal(value) || decimalOf(value).decimalPlaces() <= places,
});
ajv.addKeyword("message");
for (const keyword of ["accepts", "late", "asOne", "asSent", "nullClears", "shown"]) ajv.addKeyword(keyword);
for (const note of ["x-usage", "x-enumSource", "x-sort-keys", "x-enum", "x-comma-list", "example"]) ajv.addKeyword(note);

/** Keywords for validation only, which the OpenAPI document omits. */
export const PRIVATE_KEYWORDS = new Set([
  "notNull",
  "link",
  "decimalLimits",
  "decimalPlaces",
  "message",
  "accepts",
  "late",
  "asOne",
  "asSent",
  "nullClears",
  "shown",
  // Keys of answers that a request may echo (`closed`).
  "patternProperties",
]);

interface Shape {
  type?: string | string[];
  format?: string;
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  anyOf?: Shape[];
  asOne?: boolean;
  asSent?: boolean;
  nullClears?: boolean;
  additionalProperties?: unknown;
}

/** Removes unknown properties and, for a POST, the nulls of optional fields, from the value itself. */
function tidier(schema: Shape, dropNulls: boolean): ((value: unknown) => void) | null {
  if (schema.items) {
    const each = tidier(schema.items, dropNulls);
    return each && ((value) => Array.isArray(value) && value.forEach(each));
  }
  const { properties } = schema;
  // A closed schema rejects unknown properties instead of dropping them.
  const isClosed = schema.additionalProperties === false;
  if (!properties || (schema.additionalProperties !== undefined && !isClosed)) return null;
  const isMeant = new Set([
    ...(schema.required ?? []),
    ...Object.entries(properties).flatMap(([key, part]) => (part.nullClears ? [key] : [])),
  ]);
  const inner = Object.entries(properties).flatMap(([key, part]) => {
    const tidy = tidier(part, dropNulls);
    return tidy ? [[key, tidy] as const] : [];
  });
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    const record = value as Record<string, unknown>;
    for (const key of Object.keys(record)) {
      const isKnown = Object.hasOwn(properties, key);
      if (isKnown ? dropNulls && record[key] === null && !isMeant.has(key) : !isClosed) delete record[key];
    }
    for (const [key, tidy] of inner) if (record[key] !== undefined) tidy(record[key]);
  };
}

/**
 * Writes ids in lower case, as they are stored and compared: RFC 9562 §4 allows both cases in a request. Null for a schema without ids, and
 * for ids that an answer names as sent.
 * @returns a function that changes objects and lists in place, and returns the value
 */
function idsLowered(schema: Shape): ((value: unknown) => unknown) | null {
  if (schema.asSent) return null;
  if (schema.format === "uuid") return (value) => (typeof value === "string" && UUID.test(value) ? value.toLowerCase() : value);
  const parts = Object.entries(schema.properties ?? {}).flatMap(([key, part]) => {
    const lower = idsLowered(part);
    return lower ? [[key, lower] as const] : [];
  });
  const each = schema.items ? idsLowered(schema.items) : null;
  const alternatives = (schema.anyOf ?? []).flatMap((part) => idsLowered(part) ?? []);
  if (parts.length === 0 && !each && alternatives.length === 0) return null;
  return (given) => {
    const value = alternatives.reduce((lowered, lower) => lower(lowered), given);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      if (each) for (const [at, one] of value.entries()) value[at] = each(one);
      return value;
    }
    const record = value as Record<string, unknown>;
    for (const [key, lower] of parts) if (record[key] !== undefined) record[key] = lower(record[key]);
    return value;
  };
}

/** Validates a value and fills in defaults in place. Throws the 422 that names every invalid field. */
export type Check = (value: unknown) => void;
/** Like `Check`, but narrows the TypeScript type of the value. */
export type CheckFor<T extends TSchema> = (value: unknown) => asserts value is Static<T>;

/** Compiles a validator on first use: compiling hundreds of them at once would delay every start by seconds. */
function compiledLater(schema: object): () => ValidateFunction {
  let validate: ValidateFunction | undefined;
  return () => (validate ??= ajv.compile(stripped(schema)));
}

/** The 422 of a failed validation: the invalid fields, and for an unknown key of a closed shape the nearest known one. */
function refusedBy({ errors, schema }: ValidateFunction, whole?: readonly string[]): ApiError {
  const found = errors ?? [];
  const nearest = nearestKeys(found, schema as object, whole);
  return invalid(errorsByField(found, whole), Object.keys(nearest).length > 0 ? nearest : undefined);
}

/** The locations in a body whose errors are reported as one field (`namedAsOne`). */
function wholes(schema: Shape, place = ""): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
    const here = `${place}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    return [part, ...(part.anyOf ?? [])].some(({ asOne }) => asOne)
      ? [here]
      : [part, ...(part.anyOf ?? [])].flatMap((one) => wholes(one, here));
  });
}

/**
 * The schema of a change: without the defaults of its keys, because a key that is not sent stays unchanged (conventions §9). Otherwise a
 * schema that POST and PATCH share would reset the row.
 */
export function ofChange<T extends TSchema>(schema: T): T {
  const { properties } = schema as Shape;
  if (!properties) return schema;
  const kept = Object.entries(properties).map(([key, part]) => {
    const { default: _reset, ...rest } = part as Shape & { default?: unknown };
    return [key, rest];
  });
  return { ...schema, properties: Object.fromEntries(kept) };
}

/** Compiles the validation of a body. `post`: null in an optional field counts as not sent. */
export function compileBody<T extends TSchema>(schema: T, post: boolean): CheckFor<T> {
  const validator = compiledLater(schema);
  const tidy = tidier(schema as Shape, post);
  const lower = idsLowered(schema as Shape);
  const whole = wholes(schema as Shape);
  return (value) => {
    tidy?.(value);
    const validate = validator();
    if (!validate(value)) throw refusedBy(validate, whole);
    lower?.(value);
  };
}

/** Compiles the validation of path and query parameters, which arrive as text and are converted to their schema's types. */
export function compileParameters(
  properties: TProperties,
  required: readonly string[],
): (raw: Record<string, string | string[]>) => Record<string, unknown> {
  const validator = compiledLater({ type: "object", properties, required: [...required] });
  const readers = Object.entries(properties).map(([name, schema]) => [name, (schema as Shape).type] as const);
  const lower = idsLowered({ properties: properties as Record<string, Shape> });
  return (raw) => {
    const values: Record<string, unknown> = {};
    for (const [name, type] of readers) {
      const given = raw[name];
      if (given === undefined) continue;
      if (typeof given !== "string") values[name] = given;
      else if (type === "integer" || type === "number") values[name] = READ_NUMBER[type].test(given) ? Number(given) : given;
      else if (type === "boolean") values[name] = READ_FLAG[given.toLowerCase()] ?? given;
      else values[name] = given;
    }
    const validate = validator();
    if (!validate(values)) throw refusedBy(validate);
    lower?.(values);
    return values;
  };
}

/** Numbers as written in a query. A decimal may have enough digits for money, but no more than a JSON number keeps exactly. */
const READ_NUMBER = { integer: /^-?\d{1,16}$/, number: /^-?(?=[\d.]{1,16}$)\d+(\.\d+)?$/ };
const READ_FLAG: Record<string, boolean | undefined> = { true: true, "1": true, false: false, "0": false };

/** A copy without `$id`, so that one named schema can be compiled in several places. */
function stripped<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(stripped) as T;
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== "$id" || typeof value !== "string")
      .map(([key, value]) => [key, stripped(value)]),
  ) as T;
}
