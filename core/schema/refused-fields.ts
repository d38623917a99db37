import type { ErrorObject } from "ajv/dist/2020.js";
import { MOST_UNKNOWN, nearestNames } from "../config/nearest-name.ts";

function messageOf({ keyword, params }: ErrorObject): string {
  if (keyword === "required") return "errors.required";
  if (keyword === "format" && params["format"] === "email") return "errors.invalid_email";
  if (keyword === "format" && params["format"] === "uri") return "errors.invalid_url";
  return "errors.validation";
}

/** The parts of a JSON pointer (RFC 6901). */
const partsOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

/** The last part of a JSON pointer, empty for the whole value. */
const lastPart = (pointer: string): string => partsOf(pointer).at(-1) ?? "";

/** The location in `whole` that contains the error, if any. */
const wholeOf = ({ instancePath }: ErrorObject, whole: readonly string[]): string | undefined =>
  whole.find((place) => instancePath === place || instancePath.startsWith(`${place}/`));

/**
 * One translation key per invalid field, named by the last part of its location (conventions §9).
 * @param whole locations whose parts are reported under the location's own name
 */
export function errorsByField(errors: readonly ErrorObject[], whole: readonly string[] = []): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const error of errors) {
    if (error.keyword === "anyOf" || error.keyword === "oneOf") continue;
    const within = wholeOf(error, whole);
    const { missingProperty, additionalProperty } = error.params as { missingProperty?: string; additionalProperty?: string };
    const name = (within === undefined && (missingProperty ?? additionalProperty)) || lastPart(within ?? error.instancePath);
    const message = messageOf(error);
    // A specific message replaces the general one, whichever rule was checked first.
    if ((fields[name || "_"] ?? "errors.validation") === "errors.validation") fields[name || "_"] = message;
  }
  if (Object.keys(fields).length === 0) fields[lastPart(errors[0]?.instancePath ?? "") || "_"] = "errors.validation";
  return fields;
}

/** The names of the properties of the closed shape that an error is about. */
function knownKeys(schema: object, { schemaPath }: ErrorObject): string[] {
  const shape = partsOf(schemaPath)
    .slice(0, -1)
    .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], schema);
  return Object.keys((shape as { properties?: object } | undefined)?.properties ?? {});
}

/**
 * For each unknown key of a closed shape, the nearest key that the shape has: by the key's own name, or by its whole location where the
 * shape is reported as one field.
 * @param schema the compiled schema
 */
export function nearestKeys(
  errors: readonly ErrorObject[],
  schema: object,
  whole: readonly string[] = [],
): Record<string, string> {
  const found = errors.filter(({ keyword }) => keyword === "additionalProperties").slice(0, MOST_UNKNOWN);
  return Object.assign(
    {},
    ...found.map((error) => {
      const { additionalProperty: name } = error.params as { additionalProperty: string };
      const at = wholeOf(error, whole) === undefined ? name : [...partsOf(error.instancePath), name].join(".");
      return nearestNames([[at, name]], knownKeys(schema, error));
    }),
  ) as Record<string, string>;
}
