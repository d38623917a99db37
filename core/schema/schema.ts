import type { Static, TObject, TProperties, TSchema } from "typebox";
import { wallInstant } from "../calendar/zones.ts";
import { nameOfValues } from "../naming/named-values.ts";
import { Type } from "./builders.ts";
import { described, type Texts } from "./fields.ts";

export type { Static, TObject, TProperties, TSchema };
export { Type };

type Options = Record<string, unknown>;

/** Nullable variant of a schema; a scalar becomes one type array, so that one mistake causes one error. */
export const nullable = <T extends TSchema>(schema: T) => {
  const plain = schema as unknown as { type?: string | string[]; enum?: unknown[] };
  if (plain.type === undefined) return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: "null" }] });
  const values = plain.enum ? { enum: [...plain.enum, null] } : {};
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [plain.type, "null"].flat(), ...values });
};

/** Shows a field of a PATCH as nullable in the contract, but rejects null with 422 (conventions §9). */
export const neverNull = <T extends TSchema>(schema: T) => Type.Unsafe<NonNullable<Static<T>>>({ ...schema, notNull: true });

/** A field of a POST in which null has a meaning; elsewhere null counts as not sent. */
export const nullClears = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T>>({ ...schema, nullClears: true });

/** An object whose errors are reported under the name of its field: a caller knows a weekday, not the `start` in it. */
export const namedAsOne = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T>>({ ...schema, asOne: true });

/**
 * A shape that rejects unknown keys with 422 and the nearest known one; other shapes ignore them (conventions §9).
 * @param echoed keys that only answers have: a caller may send back what it read, and they are ignored
 */
export const closed = <T extends TSchema>(schema: T, echoed: readonly string[] = []): T => ({
  ...schema,
  additionalProperties: false,
  ...(echoed.length > 0 && { patternProperties: { [`^(?:${echoed.join("|")})$`]: {} } }),
});

/**
 * A schema that the API reference and the tools show as another one: for a value that its module validates, more exactly than a schema
 * can report it.
 * @param shown what a caller may send or gets; its own default and description are not used
 */
export const shownAs = <T extends TSchema>(schema: T, shown: object) => Type.Unsafe<Static<T>>({ ...schema, shown });

/** An id: a UUID as text. */
export const uuid = () => Type.String({ format: "uuid" });
/** An id of a request that the answer names as it was sent; every other id is read in lower case. */
export const sentId = () => Type.String({ format: "uuid", asSent: true });
/** The characters of a one-line text: no control characters or line separators. */
const ONE_LINE = "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$";
const isOfOneLine = new RegExp(ONE_LINE);
/** Whether a text is one line without control characters, as every name, subject and title must be. */
export const isLine = (value: string): boolean => isOfOneLine.test(value);
/** The pattern of a text that a provider gets in a header: printable ASCII, as RFC 9110 §5.5 advises. */
export const IN_HEADER = "^[ -~]*$";
/** A one-line text of any length. */
export const line = (options: Options = {}) => Type.String({ pattern: ONE_LINE, ...options });
/** A one-line text; use `multiline` for several lines. */
export const text = (maxLength: number, options: Options = {}) => line({ maxLength, ...options });
/** A one-line text that is not empty; blanks are left to a rule of its own, or to a look-up that finds nothing. */
export const nonEmpty = (maxLength: number) => text(maxLength, { minLength: 1 });
/** The same characters, at least one of which is not white space. */
const FILLED_LINE = `^(?=.*\\S)${ONE_LINE.slice(1)}`;
/** A one-line text that is not blank. */
export const label = (maxLength: number) => line({ minLength: 1, maxLength, pattern: FILLED_LINE });
/** A text of several lines, stored unchanged: notes, descriptions, bodies, and searches in them. */
export const multiline = (maxLength?: number, options: Options = {}) =>
  Type.String({ ...(maxLength !== undefined && { maxLength }), ...options });
/** A password, code or token that a caller presents: compared, never shown. */
export const presented = (maxLength: number, options: Options = {}) => Type.String({ maxLength, ...options });
export const email = (maxLength = 320) => Type.String({ format: "email", maxLength });
/** A link that must not run scripts; bare host names are allowed. */
export const link = (maxLength: number) => line({ maxLength, link: true });
/** An instant as ISO 8601 text with its offset. */
export const instant = () => Type.Unsafe<string>({ type: "string", format: "date-time" });
/** A day as `YYYY-MM-DD`. */
export const date = () => Type.Unsafe<string>({ type: "string", format: "date" });
/**
 * A secret of a request that no response contains; absent, null and `""` keep the stored one (`givenSecret` in core/database/sealed.ts).
 */
export const writeOnly = (maxLength: number) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ["string", "null"], maxLength, writeOnly: true }));
/** A wall-clock time `HH:MM` without zone; seconds are accepted and ignored. */
export const time = () => Type.Unsafe<string>({ type: "string", format: "time" });
/**
 * Exact decimal of a request: a number or text; the limits apply to both. `decimalPlaces` is the most decimals allowed: a value that would
 * be rounded is rejected instead. Null if every decimal is stored, or if a rule defines how a result is rounded.
 */
export const decimalInput = ({
  decimalPlaces,
  ...limits
}: {
  decimalPlaces: number | null;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  description?: string;
}) =>
  Type.Unsafe<string | number>({
    type: ["number", "string"],
    format: "decimal",
    ...limits,
    ...(decimalPlaces !== null && { decimalPlaces }),
    decimalLimits: true,
  });
/** Exact decimal: a string in responses, a number or string in requests. */
export const decimal = (options: { description?: string } = {}) =>
  Type.Unsafe<string>({ type: "string", format: "decimal", ...options });
/** A whole number, by default within the limits of an `int` column. */
export const integer = (minimum = -2147483648, maximum = 2147483647, options: Options = {}) =>
  Type.Integer({ minimum, maximum, ...options });
/** A boolean, with its default if not sent. */
export const flag = (fallback?: boolean) => (fallback === undefined ? Type.Boolean() : Type.Boolean({ default: fallback }));
/** One of these texts. Those of `namedValues` are a schema of their own in the document. */
export const choice = <const T extends readonly string[]>(values: T, options: Options = {}) => {
  const name = nameOfValues(values);
  const named = name === undefined ? {} : { $id: name, "x-usage": "both" };
  return Type.Unsafe<T[number]>({ type: "string", enum: [...values], ...named, ...options });
};
/** A text of a query parameter that names one of these values; others are accepted, and match nothing. */
export const nameOf = (maxLength: number, values: readonly string[], options: Options = {}) =>
  text(maxLength, { "x-enum": [...values], ...options });
/**
 * Several texts of a query parameter, separated by commas.
 * @param values those that exist, if they are few and the same for everyone; others are accepted, and match nothing
 */
export const commaList = (maxLength: number, values: readonly string[] | null, options: Options = {}) =>
  text(maxLength, { ...(values !== null && { "x-enum": [...values] }), "x-comma-list": true, ...options });
/** The texts of a comma-separated filter, or undefined if it has none. */
export function commaListed(filter: string | undefined): string[] | undefined {
  const texts = (filter ?? "").split(",").flatMap((part) => part.trim() || []);
  return texts.length > 0 ? texts : undefined;
}
/** An object whose keys the service does not check. */
export const json = (options: Options = {}) =>
  Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, ...options });
/** An object with arbitrary keys and values of one type. */
export const map = <T extends TSchema>(values: T, options: Options = {}) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: "object", additionalProperties: values, ...options });
/** A name by language, as `{nl: "…", en: "…"}`. */
export const names = (options: Options = {}) => map(line(), options);

/** The same properties without rules that apply only to new input: stored rows may be older than a rule. */
const asStored = <P extends TProperties>(properties: P): P =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const { pattern, ...rest } = schema as { pattern?: string };
      return [name, pattern === ONE_LINE || pattern === FILLED_LINE ? rest : schema];
    }),
  ) as P;
/**
 * A named schema of a response: every property is always sent, so every property is required.
 * @param texts descriptions of properties that have none of their own
 */
export const answer = <P extends TProperties>(name: string, properties: P, texts?: Texts) =>
  Type.Object(described(asStored(properties), texts), { $id: name, "x-usage": "response" });
/**
 * A named schema of a request; optional fields are marked with `Type.Optional`.
 * @param texts descriptions of properties that have none of their own
 */
export const input = <P extends TProperties>(name: string, properties: P, texts?: Texts) =>
  Type.Object(described(properties, texts), { $id: name, "x-usage": "request" });
/** An array of one kind of item. */
export const list = <T extends TSchema>(items: T) => Type.Array(items);
/** The property of every page of stored rows by which a cursor goes through the list. */
export const nextCursorField = () =>
  Type.Union([Type.String(), Type.Null()], {
    description: "The `cursor` of the next page; null on the last. Rows that stay as they are come once, however others change",
  });
/** The page that every paged list returns. */
export const page = <T extends TSchema>(items: T) =>
  answer(`Page_${(items as { $id?: string }).$id}_`, {
    items: Type.Array(items, { description: "The rows of this page, in the order of `sort`" }),
    total: Type.Integer({ description: "Number of rows on all pages; with `count=false` the number on this page" }),
    limit: Type.Integer({ description: "Largest number of rows on a page, as requested" }),
    offset: Type.Integer({ description: "Number of rows before this page, as requested; 0 with a `cursor`" }),
    next_cursor: nextCursorField(),
  });
/** Marks a property as optional. */
export const optional = Type.Optional;
/** The same properties, all optional. */
export const optionalAll = <P extends TProperties>(properties: P) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, optional(schema)])) as {
    [K in keyof P]: ReturnType<typeof optional<P[K]>>;
  };

/** The schema of a field with its description: unit, zone, when it is null, who may send it. */
export const field = <T extends TSchema>(schema: T, description: string): T => {
  const copy = { ...schema, description };
  return Type.IsOptional(schema) ? (optional(copy) as unknown as T) : copy;
};

const EMAIL = /^[^\s@"(),:;<>[\]\\]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/i;
const INSTANT = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?\s?([Zz]|([+ -])(\d\d):?(\d\d))?$/;

/** Whether a text is an email address whose host name has at least two labels. */
export const isEmail = (value: string): boolean => value.length <= 320 && isLine(value) && EMAIL.test(value);

/**
 * Converts a text to an ISO 8601 instant in UTC, or null if it is not a valid one: PostgreSQL supports only offsets up to 15:59. A space in
 * place of the `+`, as query strings decode it, counts as a plus.
 * @param zone the zone of a text without offset (conventions §9)
 */
export function readInstant(value: string, zone = "UTC"): string | null {
  const match = INSTANT.exec(value.trim());
  if (!match) return null;
  const [, day = "", minute = "", second = "", given, sign, hours = "00", minutes = "00"] = match;
  const local = Date.parse(`${day}T${minute}${second.slice(0, 3)}Z`);
  const isReal = !Number.isNaN(local) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
  if (!isReal || Number(hours) > 23 || Number(minutes) > 59) return null;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60_000 : 60_000);
  const isLocal = given === undefined && zone !== "UTC";
  const at = new Date(isLocal ? wallInstant(zone, `${day}T${minute}`) : local - offset);
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9999 ? `${at.toISOString().slice(0, 16)}${second}Z` : null;
}

/** True when a link would run a script or read a file in a browser (conventions §9). */
export function isDangerousLink(value: string): boolean {
  const bare = value.replace(/[\s\p{C}\p{Z}]/gu, "").toLowerCase();
  return /^(javascript|data|vbscript|file):/.test(bare);
}
