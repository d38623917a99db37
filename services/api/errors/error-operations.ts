import { areaOf } from "../areas.ts";

/** An operation by method and path, with its link into the reference and the title of its area. */
export interface Operation {
  route: string;
  summary: string;
  address: string;
  area: string;
}

interface Shown {
  operationId: string;
  summary?: string;
  tags?: string[];
  responses?: Record<string, { $ref?: string }>;
}

interface ShownAnswer {
  content?: Record<string, { examples?: Record<string, { value: { error: unknown; error_description?: string } }> }>;
}

interface ShownDocument {
  paths?: Record<string, Record<string, Shown>>;
  components?: { responses?: Record<string, ShownAnswer> };
}

/** Title of the group of what no area lists. */
export const FURTHER = "Further modules";

export const operationKey = (status: number | string, message: string) => `${status} ${message}`;

/** The message keys in a response's examples, in either envelope (ours or RFC 6749's). */
const messagesOf = ({ content = {} }: ShownAnswer): string[] =>
  Object.values(content["application/json"]?.examples ?? {}).map(
    ({ value: { error, error_description } }) => error_description ?? (error as { message: string }).message,
  );

/** The operations that may return an error, by status and message key. @param text the OpenAPI document */
export function operationsOf(text: string): Map<string, Operation[]> {
  const { paths = {}, components = {} } = JSON.parse(text) as ShownDocument;
  const found = new Map<string, Operation[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId, summary = "", tags: [tag = ""] = [], responses = {} }] of Object.entries(methods)) {
      const address = `/api/redoc#tag/${tag}/operation/${operationId}`;
      const operation = { route: `${method.toUpperCase()} ${path}`, summary, address, area: areaOf(tag)?.title ?? FURTHER };
      for (const [status, { $ref = "" }] of Object.entries(responses))
        for (const message of messagesOf(components.responses?.[$ref.split("/").at(-1) as string] ?? {})) {
          const key = operationKey(status, message);
          const known = found.get(key);
          if (known) known.push(operation);
          else found.set(key, [operation]);
        }
    }
  return found;
}
