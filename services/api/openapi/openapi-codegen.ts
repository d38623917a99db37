import type { JsonSchema } from "./openapi-components.ts";

type Json = JsonSchema;

/** The parts of a document that its form for generators changes. */
interface Document extends Json {
  components: Json & { schemas: Record<string, Json> };
}

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
const BYTES = "application/octet-stream";
const REFERENCE = "#/components/schemas/";

/** A parameter with its values: keys of an order, one of several texts, or a list of texts with commas between. */
function parameter(given: Json): Json {
  const { schema, ...rest } = given;
  const { "x-sort-keys": keys, "x-enum": values, "x-comma-list": isList, ...plain } = schema as Json;
  const known = keys ?? values;
  const one = known === undefined ? { type: "string" } : { type: "string", enum: known };
  if (isList === true) {
    const { example } = rest;
    const shown = typeof example === "string" ? { example: example.split(",") } : {};
    return { ...rest, ...shown, schema: { type: "array", items: one }, style: "form", explode: false };
  }
  return { ...rest, schema: known === undefined ? plain : one };
}

/** An object without the defaults of its optional properties: types made of a default take the property for one that is always there. */
function withoutDefaults({ properties, required = [], ...rest }: Json): Json {
  const kept = Object.entries(properties as Record<string, Json>).map(([name, property]) => {
    const { default: _fallback, ...plain } = property;
    return [name, (required as string[]).includes(name) ? property : plain];
  });
  return { ...rest, ...((required as string[]).length > 0 && { required }), properties: Object.fromEntries(kept) };
}

/**
 * The bodies of a message by media type. Many generators leave out an operation whose answer is neither JSON, text nor
 * `application/octet-stream`: a file is a text if its only type is one, and else bytes.
 */
function contentOf(content: Record<string, Json>): Record<string, Json> {
  const types = Object.keys(content);
  const isFile = ({ schema }: Json) => isRecord(schema) && schema["contentMediaType"] === BYTES;
  if (!Object.values(content).some(isFile)) return content;
  const [only] = types;
  if (types.length === 1 && only?.startsWith("text/")) return { [only]: { schema: { type: "string" } } };
  return { [BYTES]: { schema: { type: "string", format: "binary" } } };
}

/** The keywords of each type. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ["format", "pattern", "minLength", "maxLength"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
};

/** The name of the schema of a decimal of a request. */
const DECIMAL = "DecimalInput";

/** A value of several types as one branch for each: few generators know a list of types with more than one besides null. */
function severalTypes(given: Json): Json {
  const types = Array.isArray(given["type"]) ? (given["type"] as string[]) : [];
  if (types.filter((type) => type !== "null").length < 2) return given;
  const { type: _types, ...rest } = given;
  const about = new Set(Object.values(KEYWORDS).flat());
  const of = (type: string) => Object.entries(rest).filter(([key]) => KEYWORDS[type]?.includes(key));
  const branches = types.map((type) => Object.fromEntries([["type", type], ...of(type)]));
  const isDecimal = rest["format"] === "decimal" && types.includes("number") && types.includes("string");
  const anyOf = isDecimal
    ? [{ $ref: `${REFERENCE}${DECIMAL}` }, ...(types.includes("null") ? [{ type: "null" }] : [])]
    : branches;
  const others = Object.fromEntries(Object.entries(rest).filter(([key]) => !about.has(key)));
  return anyOf.length === 1 ? { ...anyOf[0], ...others } : { anyOf, ...others };
}

function rewritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewritten);
  if (!isRecord(value)) return value;
  const made = Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      // Values, not parts of the document.
      if (key === "example" || key === "examples" || key === "default" || key === "enum") return [key, part];
      const inner = rewritten(part);
      return [key, key === "content" && isRecord(inner) ? contentOf(inner as Record<string, Json>) : inner];
    }),
  );
  if (isRecord(made["schema"]) && typeof made["in"] === "string") return parameter(made);
  if (made["type"] === "object" && isRecord(made["properties"])) return withoutDefaults(made);
  return severalTypes(made);
}

/**
 * Splits an object whose property has one branch for each value of another (`x-discriminator`) into one schema for each value, with a
 * discriminator.
 */
function discriminated(schemas: Record<string, Json>): Record<string, Json> {
  const made: Record<string, Json> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const properties = (schema["properties"] ?? {}) as Record<string, Json>;
    const found = Object.entries(properties).find(([, property]) => typeof property["x-discriminator"] === "string");
    if (!found) {
      made[name] = schema;
      continue;
    }
    const [key, { oneOf, "x-discriminator": by, ...about }] = found as [string, Json];
    const mapping: Record<string, string> = {};
    for (const { $ref } of oneOf as { $ref: string }[]) {
      const branch = $ref.slice(REFERENCE.length);
      const value = schemas[branch]?.["title"] as string;
      const own = `${branch.replace(/Config$/, "")}${name}`;
      const { examples: _named, ...plain } = properties[by as string] as Json;
      made[own] = {
        ...schema,
        properties: { ...properties, [by as string]: { ...plain, enum: [value] }, [key]: { ...about, $ref } },
      };
      mapping[value] = `${REFERENCE}${own}`;
    }
    const { description } = schema;
    const branches = Object.values(mapping).map(($ref) => ({ $ref }));
    made[name] = {
      ...(description !== undefined && { description }),
      oneOf: branches,
      discriminator: { propertyName: by, mapping },
    };
  }
  return made;
}

/** A named schema without its title: generators would name its type after the title. */
const untitled = ({ title: _title, ...schema }: Json): Json => schema;

/**
 * The form of a document that generators of clients read (`openapi.json?for=codegen`): values of parameters as enums and lists, files as
 * `binary`, no defaults of optional properties, and branches of a union with a discriminator. Everything else is as in the document.
 */
export function codegenDocument(document: object): object {
  const { components, ...rest } = rewritten(document) as Document;
  const schemas = Object.entries(discriminated(components.schemas)).map(([name, schema]) => [name, untitled(schema)]);
  const decimal = { description: "An exact decimal, as a text or a number.", anyOf: [{ type: "string" }, { type: "number" }] };
  return { ...rest, components: { ...components, schemas: { ...Object.fromEntries(schemas), [DECIMAL]: decimal } } };
}
