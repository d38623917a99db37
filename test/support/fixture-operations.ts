import type { Action } from "../../core/action.ts";
import type { Schema } from "./fixture-bodies.ts";
import type { TestService } from "./service.ts";

/** A parameter of an operation. */
export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: Schema;
}

/** The proofs an action may be excepted from, as `exceptions` of its declaration names them. */
export type ProofKey = keyof NonNullable<Action["exceptions"]>;

/** One operation of the served document, with what only its declaration knows. */
export interface Operation {
  /** `GET /companies/{company_id}` */
  label: string;
  method: string;
  /** Path with `{parameters}`, relative to `/api/v1`. */
  path: string;
  permission: string | null;
  licence: string | null;
  pathParameters: Parameter[];
  query: Parameter[];
  body: Schema | null;
  mediaType: string;
  /** Types of the file in a multipart body, the first of which its samples have. */
  fileTypes: string[];
  /** Answers by status; the schema of a success where it has one. */
  answers: Map<number, Schema | null>;
  declared: Pick<Action, "exceptions" | "licenceExempt" | "oneTime" | "untenanted" | "needs" | "open" | "writes">;
}

type Document = {
  paths: Record<string, Record<string, Described>>;
  components: Record<string, Record<string, unknown>>;
};
interface Described {
  parameters?: unknown[];
  requestBody?: { content: Record<string, { schema: unknown; encoding?: Record<string, { contentType: string }> }> };
  responses: Record<string, unknown>;
  "x-permission": string | null;
  "x-licence": string | null;
}

/** A copy with every `$ref` of the document written out. */
function inlined<T>(document: Document, value: unknown): T {
  if (Array.isArray(value)) return value.map((one) => inlined(document, one)) as T;
  if (typeof value !== "object" || value === null) return value as T;
  const { $ref } = value as { $ref?: string };
  if (typeof $ref === "string") {
    const [, , kind, name] = $ref.split("/") as [string, string, string, string];
    return inlined(document, document.components[kind]?.[name]);
  }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inlined(document, part)])) as T;
}

/** Every operation of the document that the running service serves. @throws Error for one that no action declares */
export async function readOperations({ port, node, call }: Pick<TestService, "port" | "node" | "call">): Promise<Operation[]> {
  const { status, body } = await call("GET", "//api/openapi.json");
  if (status !== 200) throw new Error(`no OpenAPI document at port ${port}: ${status}`);
  const document = body as Document;
  const listed = node.broker.registry.actions.list({ skipInternal: true }) as unknown as { action?: Partial<Action> }[];
  const declared = new Map<string, Partial<Action>>(
    listed.flatMap(({ action }) =>
      action?.rest ? [[`${action.method} ${action.urlPath?.replace(/:([a-z_]+)/g, "{$1}")}`, action] as const] : [],
    ),
  );
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, described]): Operation => {
      const label = `${verb.toUpperCase()} ${path}`;
      const action = declared.get(label);
      if (!action) throw new Error(`${label} is in the document but no action declares it`);
      const parameters = inlined<Parameter[]>(document, described.parameters ?? []);
      const [[mediaType, content] = ["application/json", null]] = Object.entries(described.requestBody?.content ?? {});
      const answers = Object.entries(
        inlined<Record<string, { content?: Record<string, { schema: Schema }> }>>(document, described.responses),
      );
      return {
        label,
        method: verb.toUpperCase(),
        path,
        permission: described["x-permission"],
        licence: described["x-licence"],
        pathParameters: parameters.filter((one) => one.in === "path"),
        query: parameters.filter((one) => one.in === "query"),
        body: content ? inlined<Schema>(document, content.schema) : null,
        mediaType,
        fileTypes: Object.values(content?.encoding ?? {}).flatMap(({ contentType }) => contentType.split(", ")),
        answers: new Map(answers.map(([code, one]) => [Number(code), one.content?.["application/json"]?.schema ?? null])),
        declared: action as Operation["declared"],
      };
    }),
  );
}

/** True when anybody may call, signed in or not. */
export const isOpen = ({ declared: { open, needs } }: Operation): boolean => open !== undefined && needs === "nothing";
/** True when only a session will do. */
export const needsSession = ({ declared: { open, needs } }: Operation): boolean =>
  open !== undefined && (needs === "session" || needs === "administrator");
export const isWrite = ({ method }: Operation): boolean => method !== "GET";
/** Path parameters that name a row. */
export const idParameters = ({ pathParameters }: Operation): Parameter[] =>
  pathParameters.filter(({ schema }) => schema.format === "uuid");
/** The query that asks a list for as many rows as it gives at once; empty where there are no pages. */
export function longestPage({ query }: Operation): Record<string, string> {
  const limit = query.find(({ name }) => name === "limit");
  return limit ? { limit: String(limit.schema.maximum ?? 200) } : {};
}
/** The keys a list can be sorted by, as its document says. */
export const sortKeys = ({ query }: Operation): string[] =>
  /^One of (.+)$/.exec(query.find(({ name }) => name === "sort")?.description ?? "")?.[1]?.split(", ") ?? [];
