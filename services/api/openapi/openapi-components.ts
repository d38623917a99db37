import { isDeepStrictEqual } from "node:util";
import { type JsonSchema, shownSchema } from "../../../core/schema/plain-schema.ts";
import { PRIVATE_KEYWORDS } from "../../../core/schema/validation.ts";

export type { JsonSchema };

type Reference = { $ref: string };

/** Request headers: those callers may send, and those our webhooks send. */
export const HEADER_PARAMETERS = {
  "Idempotency-Key": {
    description:
      "Makes the call safe to repeat for 24 hours: the same key and body return the first answer again and change nothing.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  "If-None-Match": {
    description: "Entity tag of the file the caller has; while it is still the file, the answer is 304 without a body.",
    schema: { type: "string" },
  },
  "Last-Event-ID": {
    description: "The id of the reader's last event; the stream starts with the events after it.",
    schema: { type: "string" },
  },
  "If-Match": {
    description:
      "Entity tag of the last state that the caller read, or `*`. If the row has changed since, the call answers 412 and changes nothing.",
    schema: { type: "string" },
  },
  "webhook-id": {
    description: "Id of the message, the same at every attempt and at a replay.",
    required: true,
    schema: { type: "string" },
  },
  "webhook-timestamp": {
    description: "When this attempt was made, in seconds of Unix time.",
    required: true,
    schema: { type: "string", pattern: "^[0-9]+$" },
  },
  "webhook-signature": {
    description:
      "One signature per valid secret, with blanks between: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` (Standard Webhooks).",
    required: true,
    schema: { type: "string" },
  },
} as const;

const ANSWER_HEADERS = {
  "X-Request-Id": { description: "Id of this request; the service's logs carry it.", schema: { type: "string" } },
  "Updated-Until": {
    description:
      "The `updated_since` of the next round, once a call with one has read its whole delta: on the last page by cursor, or on a page that holds all of it. Nothing committed after the first page was read has an earlier `updated_at`.",
    schema: { type: "string", format: "date-time" },
    example: "2026-03-02T09:30:00.000000Z",
  },
  ETag: { description: "Entity tag of the row's state, for `If-Match`.", schema: { type: "string" }, example: '"7"' },
  "Idempotent-Replayed": {
    description: "`true` if an earlier answer is returned again for its `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"] },
  },
  "RateLimit-Limit": { description: "Calls an API key may make per clock minute.", schema: { type: "integer" }, example: 600 },
  "RateLimit-Remaining": { description: "Calls left in this minute.", schema: { type: "integer" }, example: 588 },
  "RateLimit-Reset": { description: "Seconds until the next minute.", schema: { type: "integer" }, example: 34 },
  "Retry-After": { description: "Seconds to wait before trying again.", schema: { type: "integer" }, example: 34 },
  "WWW-Authenticate": {
    description: "Address of the protected resource's metadata (RFC 9728), for a caller without a credential.",
    schema: { type: "string" },
    example: 'Bearer resource_metadata="https://demo.example.com/.well-known/oauth-protected-resource/mcp"',
  },
  Location: { description: "Where to go on.", schema: { type: "string" } },
  "Content-Disposition": {
    description: "`inline` for pictures and PDF, else `attachment`, with the file's name.",
    schema: { type: "string" },
    example: 'attachment; filename="hours.csv"',
  },
} as const;

/** The name of the schema of every error. Not `Error`: most languages have a type of that name. */
export const ERROR_BODY = "ErrorBody";

const ERROR_SCHEMA = {
  type: "object",
  description: "The body of every error. Texts are translation keys, never prose.",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      description: "The refusal.",
      required: ["code", "message"],
      properties: {
        code: { type: "string", description: "The error, for programs." },
        message: { type: "string", description: "Translation key of the message." },
        fields: { type: "object", description: "Translation key per offending field.", additionalProperties: { type: "string" } },
        details: {
          type: "object",
          description: "Machine facts about this refusal.",
          additionalProperties: { type: ["string", "number", "boolean"] },
        },
      },
    },
  },
};

const SCHEMA_MAPS = new Set(["properties", "dependentSchemas"]);
const SCHEMA_LISTS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const SCHEMAS = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"]);

const isRecord = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null && !Array.isArray(value);
const componentName = (name: string) => name.replace(/[^A-Za-z0-9._-]/g, "_");

/** Undoes `nullable()` on a named schema: the schema itself, and whether it allows null. */
function withoutNull(schema: JsonSchema): { bare: JsonSchema; isNullable: boolean } {
  const { type, enum: values } = schema;
  if (!Array.isArray(type) || !type.includes("null")) return { bare: schema, isNullable: false };
  const types = type.filter((one) => one !== "null");
  const choice = Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {};
  return { bare: { ...schema, type: types.length === 1 ? types[0] : types, ...choice }, isNullable: true };
}

/** Collects what operations share, so that the document contains each named part once, and only if used. */
export interface Components {
  /**
   * The schema for the document, named ones as references.
   * @param isProperty whether its description is about this use, as for a property and a parameter
   * @throws TypeError when another schema has the name
   */
  schema(given: unknown, isProperty?: boolean): unknown;
  header(name: keyof typeof ANSWER_HEADERS): Reference;
  rateLimitHeaders(): Record<string, Reference>;
  parameter(name: keyof typeof HEADER_PARAMETERS): Reference;
  response(name: string, make: () => object): Reference;
  /** Everything collected. @throws TypeError when a schema refers to an undeclared name */
  all(keyPrefix: string, sessionCookie: string): object;
}

export function components(): Components {
  const schemas = new Map<string, unknown>();
  const seen = new Set<string>();
  /** For each schema, the description of its first use. */
  const descriptions = new Map<string, unknown>();
  const parts = {
    parameters: new Map<string, object>(),
    headers: new Map<string, object>(),
    responses: new Map<string, object>(),
  };
  const awaited = new Set<string>();

  const refer = (kind: string, name: string): Reference => ({ $ref: `#/components/${kind}/${name}` });
  function keep(kind: keyof typeof parts, name: string, make: () => object): Reference {
    if (!parts[kind].has(name)) parts[kind].set(name, make());
    return refer(kind, name);
  }

  function define(name: string, schema: unknown): Reference {
    const known = schemas.get(name);
    if (known === undefined) schemas.set(name, schema);
    else if (!isDeepStrictEqual(known, schema)) throw new TypeError(`two different schemas are named '${name}'`);
    return refer("schemas", name);
  }

  function named(id: string, given: JsonSchema, isProperty: boolean): unknown {
    // a default belongs to the property, not to the shared schema
    const { default: fallback, description, ...rest } = given;
    const { bare, isNullable } = withoutNull(rest);
    const name = componentName(id);
    if (!schemas.has(name) && !isProperty) descriptions.set(name, description);
    const own = descriptions.get(name);
    const text = `${name} ${JSON.stringify(bare)}`;
    // most occurrences repeat an earlier one exactly, and comparing their text is faster than converting them
    const reference = seen.has(text)
      ? refer("schemas", name)
      : define(name, plain(own === undefined ? bare : { ...bare, description: own }));
    seen.add(text);
    return {
      ...(isNullable ? { anyOf: [reference, { type: "null" }] } : reference),
      ...(fallback !== undefined && { default: fallback }),
      // a property keeps its own description next to the reference; elsewhere the first use describes the schema
      ...(description !== undefined && description !== own && { description }),
    };
  }

  function keyword(key: string, value: unknown): [string, unknown][] {
    if (key.startsWith("~") || PRIVATE_KEYWORDS.has(key)) return [];
    if (SCHEMA_MAPS.has(key) && isRecord(value))
      return [[key, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, schema(part, true)]))]];
    if (SCHEMA_LISTS.has(key) && Array.isArray(value)) return [[key, value.map((part) => schema(part))]];
    if (SCHEMAS.has(key)) return [[key, schema(value)]];
    // JSON Schema's `time` requires an offset; ours is local time in the organisation's zone
    if (key === "format" && value === "time") return [[key, "time-local"]];
    if (key === "example") return [["examples", [value]]];
    if (key === "$ref" && typeof value === "string" && !value.startsWith("#")) {
      awaited.add(componentName(value));
      return [[key, refer("schemas", componentName(value)).$ref]];
    }
    if (key !== "$defs" || !isRecord(value)) return [[key, value]];
    for (const [name, part] of Object.entries(value)) schema(isRecord(part) ? { $id: name, ...part } : part);
    return [];
  }

  const plain = (given: JsonSchema): JsonSchema =>
    Object.fromEntries(Object.entries(given).flatMap(([key, value]) => keyword(key, value)));

  function schema(given: unknown, isProperty = false): unknown {
    if (!isRecord(given)) return given;
    const shown = shownSchema(given);
    const { $id, ...rest } = shown;
    return typeof $id === "string" ? named($id, rest, isProperty) : plain(shown);
  }

  return {
    schema,
    header: (name) => keep("headers", name, () => ANSWER_HEADERS[name]),
    rateLimitHeaders() {
      const names = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] as const;
      return Object.fromEntries(names.map((name) => [name, this.header(name)]));
    },
    parameter: (name) => keep("parameters", name, () => ({ name, in: "header", required: false, ...HEADER_PARAMETERS[name] })),
    response(name, make) {
      return keep("responses", name, () => {
        define(ERROR_BODY, ERROR_SCHEMA);
        return make();
      });
    },
    all(keyPrefix, sessionCookie) {
      for (const name of awaited)
        if (!schemas.has(name)) throw new TypeError(`a schema refers to '${name}', which is not declared`);
      const sorted = (entries: Map<string, unknown>) => Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
      return {
        securitySchemes: {
          apiKey: {
            type: "apiKey",
            in: "header",
            name: "X-API-Key",
            description: `A personal or service-account key: \`${keyPrefix}_…\`.`,
          },
          bearerKey: {
            type: "http",
            scheme: "bearer",
            bearerFormat: `${keyPrefix}_…`,
            description: "The same key as a bearer token.",
          },
          session: { type: "apiKey", in: "cookie", name: sessionCookie, description: "The session of a signed-in person." },
        },
        parameters: sorted(parts.parameters),
        headers: sorted(parts.headers),
        responses: sorted(parts.responses),
        schemas: sorted(schemas),
      };
    },
  };
}
