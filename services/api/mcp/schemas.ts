import type { JSONObject, JSONValue } from "@modelcontextprotocol/server";
import { isConditional, pathParameters } from "../../../core/declare/action.ts";
import { bodyFields, type ToolDeclaration } from "../../../core/declare/tool.ts";
import { definitionsIn, plainSchema as plainly } from "../../../core/schema/plain-schema.ts";
import { uuid } from "../../../core/schema/schema.ts";
import type { Declaration } from "../openapi/declaration.ts";
import { moduleOf } from "../openapi/openapi.ts";
import { HEADER_PARAMETERS } from "../openapi/openapi-components.ts";
import { parameterText } from "../openapi/openapi-text.ts";
import { SAYS } from "./defaults.ts";

/** The arguments of an operation, as JSON Schema 2020-12. */
export interface ArgumentsSchema extends JSONObject {
  type: "object";
  properties: Record<string, JSONObject>;
  required: string[];
}

const IDEMPOTENCY_KEY = "idempotency_key";
const IF_MATCH = "if_match";

/** The arguments that HTTP carries as headers, each with its header. */
export const HEADERS = { [IDEMPOTENCY_KEY]: "idempotency-key", [IF_MATCH]: "if-match" } as const;

/** A part inside itself: clients differ in what they make of references, and the part around it says what belongs there. */
const RECURSION = { type: "object", description: "As the whole that it is in" };

/** A declared schema as plain JSON Schema without references: a part that contains itself is described once. */
export function plainSchema(given: unknown): JSONObject {
  const parts = definitionsIn(given);
  const inlined = (value: unknown, around: readonly string[]): JSONValue => {
    if (Array.isArray(value)) return value.map((one) => inlined(one, around));
    if (typeof value !== "object" || value === null) return value as JSONValue;
    const { $ref, ...rest } = value as { $ref?: unknown };
    const name = typeof $ref === "string" ? $ref.replace("#/$defs/", "") : null;
    const part = name === null ? {} : around.includes(name) ? RECURSION : parts[name];
    const within = name === null ? around : [...around, name];
    return Object.fromEntries(Object.entries({ ...(part as object), ...rest }).map(([key, one]) => [key, inlined(one, within)]));
  };
  return inlined(plainly(given as object), []) as JSONObject;
}

const described = (tag: string, place: "path" | "query", name: string, schema: unknown): JSONObject => {
  const plain = plainSchema(schema);
  const description = plain["description"] ?? parameterText(tag, place, name);
  return description === undefined ? plain : { ...plain, description };
};

const text = (description: string): JSONObject => ({ type: "string", minLength: 1, maxLength: 255, description });

/** The arguments that HTTP carries as headers. */
const headerArguments = (declaration: Declaration): Record<string, JSONObject> => ({
  ...(declaration.method !== "GET" && { [IDEMPOTENCY_KEY]: text(HEADER_PARAMETERS["Idempotency-Key"].description) }),
  ...(isConditional(declaration) &&
    (declaration.conditional || declaration.urlPath.includes(":")) && {
      [IF_MATCH]: text(HEADER_PARAMETERS["If-Match"].description),
    }),
});

/** Path and query parameters with their schemas, and the required names. */
function parameters(declaration: Declaration): { properties: Record<string, JSONObject>; required: string[] } {
  const { urlPath, path = {}, query = {}, requiredQuery = [] } = declaration;
  const tag = moduleOf(declaration);
  const inPath = pathParameters(urlPath).map((name) => [name, described(tag, "path", name, path[name] ?? uuid())] as const);
  const inQuery = Object.entries(query).map(([name, schema]) => [name, described(tag, "query", name, schema)] as const);
  return {
    properties: Object.fromEntries([...inPath, ...inQuery]),
    required: [...inPath.map(([name]) => name), ...requiredQuery],
  };
}

/** What `call_tool` accepts for an operation: parameters by name, the body as `body`. */
export function argumentsSchema(declaration: Declaration): ArgumentsSchema {
  const { properties, required } = parameters(declaration);
  const body: Record<string, JSONObject> = declaration.body ? { body: plainSchema(declaration.body) } : {};
  return {
    type: "object",
    properties: { ...properties, ...body, ...headerArguments(declaration) },
    required: [...required, ...(declaration.body ? ["body"] : [])],
    additionalProperties: false,
  };
}

const sentences = (...parts: unknown[]): string =>
  parts.flatMap((part) => (typeof part === "string" ? [part.endsWith(".") ? part : `${part}.`] : [])).join(" ");

/** What a dedicated tool accepts: the parameters and body fields its declaration names, side by side. */
export function toolSchema(declaration: Declaration, { takes, defaults = {} }: ToolDeclaration): ArgumentsSchema {
  const { properties, required } = parameters(declaration);
  const body = declaration.body ? plainSchema(declaration.body) : {};
  const fields = body["properties"] as Record<string, JSONObject> | undefined;
  const needed = new Set([...required, ...((body["required"] as string[] | undefined) ?? [])]);
  const taken = takes.map((name) => {
    const schema = properties[name] ?? fields?.[name] ?? {};
    const kind = defaults[name];
    return [
      name,
      kind === undefined ? schema : { ...schema, description: sentences(schema["description"], SAYS[kind]) },
    ] as const;
  });
  return {
    type: "object",
    properties: { ...Object.fromEntries(taken), ...headerArguments(declaration) },
    required: takes.filter((name) => needed.has(name) && defaults[name] === undefined),
    additionalProperties: false,
  };
}

/** What an operation answers with, or null for one without a body. */
export const answerSchema = ({ returns }: Declaration): JSONObject | null => (returns ? plainSchema(returns) : null);

/** Searchable words of a declaration's input: names of parameters and body fields. */
export const takenNames = ({ urlPath, query = {}, body }: Declaration): string[] => [
  ...pathParameters(urlPath),
  ...Object.keys(query),
  ...bodyFields(body),
];
