import type { Answer } from "../../support/http.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers are read as they come.
export type Row = Record<string, any>;

/** The body of an answer that succeeded. @throws Error otherwise */
export async function ok(answer: Promise<Answer>): Promise<Row> {
  const { status, body, text } = await answer;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body as Row;
}

/** Status, code, message and fields of a refusal. */
export function refused({ status, body }: Answer): unknown[] {
  const { code, message, fields } = body?.error ?? {};
  return [status, code, message, ...(fields ? [fields] : [])];
}
export const NOT_FOUND = [404, "not_found", "errors.not_found"];
export const FORBIDDEN = [403, "forbidden", "errors.forbidden"];
