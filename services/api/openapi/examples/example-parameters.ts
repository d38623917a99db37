import type { JsonSchema } from "../openapi-components.ts";
import { exampleOf } from "../openapi-examples.ts";
import { exampleId } from "./example-ids.ts";

/** Values of parameters by name, or by the first segment of the path and the name; the latter count first. */
const VALUES: Readonly<Record<string, unknown>> = {
  authuser: "0",
  after: "2026-03-01",
  before: "2026-03-31",
  date_from: "2026-03-01",
  date_to: "2026-03-31",
  due_from: "2026-03-01",
  due_to: "2026-03-31",
  compare: "previous",
  cursor: "kT3vXw2RzN7bLm4cYgP9",
  from: "2026-03-01",
  hd: "bureau-noorderlicht.example",
  "marketing kind": "top_pages",
  map: "name=Bedrijfsnaam",
  next: "/settings/account",
  participant: "anna@example.com",
  period: "30d",
  prompt: "consent",
  q: "bakkerij",
  sort: "-occurred_at",
  to: "2026-03-31",
  updated_since: "2026-03-01T00:00:00Z",
  until: "2026-03-31",
  week_start: "2026-03-02",
  "workspace reference": "18f3a2b1c4d5e6f7",
};

/** Whether a value is one that the schema lists, or the schema lists none. */
function fits(schema: JsonSchema, value: unknown): boolean {
  const values = schema["enum"] as unknown[] | undefined;
  if (values !== undefined) return values.includes(value);
  if (schema["format"] === "date") return typeof value === "string" && value.length === 10;
  if (schema["format"] === "date-time") return typeof value === "string" && value.length > 10;
  return true;
}

function valueFor(schema: JsonSchema, name: string, urlPath: string): unknown {
  const { format, type, items, default: fallback, examples } = schema;
  if (format === "uuid") return exampleId(name, urlPath);
  if (type === "array") return [valueFor(items as JsonSchema, name, urlPath)];
  const [first] = (schema["x-sort-keys"] ?? schema["x-enum"] ?? examples ?? []) as unknown[];
  const declared = first ?? schema["example"];
  if (declared !== undefined) return declared;
  const tag = urlPath.split("/")[1];
  const known = VALUES[`${tag} ${name}`] ?? VALUES[name];
  if (known !== undefined && fits(schema, known)) return known;
  if (fallback !== undefined && fallback !== null && fallback !== "") return fallback;
  return exampleOf(schema, name);
}

/**
 * The example of a path or query parameter: a record of the demo organisation, a declared example, or a value by the parameter's meaning.
 * @param urlPath path of the operation, with `:name` for its parameters
 */
export const parameterExample = (schema: unknown, name: string, urlPath: string): unknown =>
  valueFor(schema as JsonSchema, name, urlPath);
