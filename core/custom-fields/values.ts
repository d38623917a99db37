import { isDate } from "../calendar/calendar.ts";
import { invalid } from "../errors/errors.ts";
import { namedValues } from "../naming/named-values.ts";
import { isDangerousLink, isEmail, isLine, readInstant } from "../schema/schema.ts";
import { isExactNumber } from "../values/money.ts";
import { withoutHtml } from "../values/text.ts";
import { matchesWhole, PATTERN_WORK, type PatternBudget } from "./pattern.ts";

/** Entity types with custom fields. A module whose records get a `custom` object extends this: `interface CustomRecords { … }`. */
export interface CustomRecords {}
export type CustomEntityType = keyof CustomRecords & string;

/** The types of custom fields (platform chapter §4). */
export const CUSTOM_TYPES = namedValues("CustomFieldType", [
  "text",
  "long_text",
  "number",
  "boolean",
  "date",
  "datetime",
  "select",
  "multi_select",
  "email",
  "url",
  "phone",
]);
export type CustomType = (typeof CUSTOM_TYPES)[number];

/** The parts of an active custom field that its check needs. */
export interface CustomDefinition {
  key: string;
  data_type: CustomType;
  required: boolean;
  /** The options of a select; imports also accept their labels. */
  options_json: readonly { value: string; label_i18n?: Readonly<Record<string, string>> | undefined }[];
  config_json: { min?: number | null; max?: number | null; regex?: string | null };
  /** Its name by language; also accepted as an import column header. */
  label_i18n?: Readonly<Record<string, string>>;
}

/** The key of values without an active field, which are stored unchanged. A JSON body cannot contain it. */
export const INACTIVE = Symbol("inactive");

export type CustomValues = Record<string, unknown> & { [INACTIVE]?: Record<string, unknown> };

/** The translation key of an invalid value. */
class Unfit extends Error {}
const unfit = (error: string) => new Unfit(`customfields.errors.${error}`);

const NUMERIC = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[^\s/]\S*$/i;
const READ_BOOLEAN = new Map<unknown, boolean>([
  ...[true, "true", "1", "yes"].map((value) => [value, true] as const),
  ...[false, "false", "0", "no"].map((value) => [value, false] as const),
]);

function asText(value: unknown, { config_json: { max, regex } }: CustomDefinition, budget: PatternBudget): string {
  if (typeof value === "object") throw unfit("invalid_type");
  const text = String(value);
  if (typeof max === "number" && [...text].length > max) throw unfit("too_long");
  if (!regex) return text;
  const matches = matchesWhole(regex, text, budget);
  if (matches === null) throw unfit("too_long");
  if (!matches) throw unfit("pattern_mismatch");
  return text;
}

function asNumber(value: unknown, { config_json: { min, max } }: CustomDefinition): number {
  const text = typeof value === "number" ? String(value) : trimmed(value);
  const number = NUMERIC.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(number)) throw unfit("invalid_number");
  // Reject numbers that JSON readers would round: the stored number would differ from the entered one.
  const isExact = isExactNumber(text) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  if (!isExact || number < (min ?? -Infinity) || number > (max ?? Infinity)) throw unfit("out_of_range");
  return number === 0 ? 0 : number;
}

function asOptions(value: unknown, options: ReadonlySet<unknown>): unknown[] {
  if (!Array.isArray(value) || !value.every((one) => options.has(one))) throw unfit("invalid_option");
  return [...new Set(value)];
}

const trimmed = (value: unknown): string => (typeof value === "string" ? value.trim() : "");
const checked = <T>(value: T, isFit: boolean, error: Unfit): T => {
  if (isFit) return value;
  throw error;
};

/** The value to store. @throws Unfit */
function stored(value: unknown, definition: CustomDefinition, budget: PatternBudget): unknown {
  const options = () => new Set<unknown>(definition.options_json.map((option) => option.value));
  const text = trimmed(value);
  switch (definition.data_type) {
    case "text":
    case "phone": {
      const typed = asText(value, definition, budget);
      return checked(typed, isLine(typed), new Unfit("errors.validation"));
    }
    case "long_text":
      return asText(typeof value === "string" ? withoutHtml(value) : value, definition, budget);
    case "number":
      return asNumber(value, definition);
    case "boolean": {
      const read = READ_BOOLEAN.get(typeof value === "string" ? text.toLowerCase() : value);
      return checked(read, read !== undefined, unfit("invalid_boolean"));
    }
    case "date":
      return checked(text, isDate(text) && !text.startsWith("0000"), unfit("invalid_date"));
    case "datetime": {
      const read = readInstant(text);
      return checked(read, read !== null, unfit("invalid_datetime"));
    }
    case "select":
      return checked(value, options().has(value), unfit("invalid_option"));
    case "multi_select":
      return asOptions(value, options());
    case "email":
      return checked(text.toLowerCase(), isEmail(text), new Unfit("errors.invalid_email"));
    case "url":
      return checked(text, ABSOLUTE.test(text) && URL.canParse(text) && !isDangerousLink(text), new Unfit("errors.invalid_url"));
  }
}

/** Null, blank text and an empty list count as no value; `false` and 0 do not. */
const isAbsent = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === "string" && value.trim() === "") ||
  (Array.isArray(value) && value.length === 0);

/** Maximum unknown keys listed in an error; a hundred say as much as forty thousand. */
const MOST_UNKNOWN = 100;

/**
 * Reads the complete set of a record's custom values by the active definitions of its entity type (platform chapter §4). Values under
 * `INACTIVE` are not checked.
 * @returns the values to store, and a translation key for every rejected key
 */
export function readCustomValues(
  sent: CustomValues,
  definitions: readonly CustomDefinition[],
): { values: CustomValues; refused: Record<string, string> } {
  const known = new Set(definitions.map(({ key }) => key));
  const unknown = Object.keys(sent)
    .filter((key) => !known.has(key))
    .slice(0, MOST_UNKNOWN);
  // Entries, because a key may be called `constructor` or `__proto__`.
  const refused: [string, string][] = unknown.map((key) => [key, "customfields.errors.unknown_field"]);
  const values: [string, unknown][] = [];
  const budget: PatternBudget = { left: PATTERN_WORK };
  for (const definition of definitions) {
    const { key, required } = definition;
    const value = Object.hasOwn(sent, key) ? sent[key] : undefined;
    try {
      const kept = isAbsent(value) ? undefined : stored(value, definition, budget);
      if (!isAbsent(kept)) values.push([key, kept]);
      else if (required) refused.push([key, "errors.required"]);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      refused.push([key, error.message]);
    }
  }
  return { values: { ...sent[INACTIVE], ...Object.fromEntries(values) }, refused: Object.fromEntries(refused) };
}

/**
 * Reads the custom values of a record without other fields to validate.
 * @throws 422 with one key per invalid field
 */
export function checkCustomValues(sent: CustomValues, definitions: readonly CustomDefinition[]): CustomValues {
  const { values, refused } = readCustomValues(sent, definitions);
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return values;
}

/** The required keys without a stored value, each as `errors.required`. */
export function missingCustomValues(
  stored: CustomValues,
  definitions: readonly Pick<CustomDefinition, "key" | "required">[],
): Record<string, string> {
  const missing = definitions.filter(({ key, required }) => required && (!Object.hasOwn(stored, key) || isAbsent(stored[key])));
  return Object.fromEntries(missing.map(({ key }) => [key, "errors.required"]));
}
