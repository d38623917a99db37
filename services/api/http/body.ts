import type { IncomingMessage } from "node:http";
import type { HttpParams } from "../../../core/request/context.ts";
import { isShallow } from "../../../core/values/stored-text.ts";
import { readJson } from "./read-json.ts";
import { receiveAll } from "./receiving.ts";

type Unreadable = NonNullable<HttpParams["$http"]["unreadable"]>;
/** `essence` is what the `Idempotency-Key` comparison uses instead of the body, if set. */
export type ReadBody = { body?: unknown; unreadable?: Unreadable; essence?: unknown };

const refused = (code: string, message: string, fields: Record<string, string>): ReadBody => ({
  unreadable: { code, message, fields },
});
export const UNREADABLE = refused("validation", "errors.validation", { _: "errors.validation" });
const TOO_LARGE = refused("validation", "errors.upload_too_large", { _: "errors.upload_too_large" });
export const WRONG_TYPE = refused("unsupported_media_type", "errors.content_type", { _: "errors.content_type" });

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Name of the first string PostgreSQL cannot store (NUL, or half a surrogate pair), or null. */
function unstorable(value: unknown, name: string): string | null {
  if (typeof value === "string") return value.includes("\u0000") || !value.isWellFormed() ? name : null;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const found = unstorable(key, name) ?? unstorable(inner, key);
    if (found !== null) return found;
  }
  return null;
}

/** Whether PostgreSQL can store text from a path or query. */
export const isStorable = (value: string): boolean => unstorable(value, "") === null;

/** Reads a JSON or form body. Returns problems instead of throwing them, because the permission check comes first (conventions §3.3). */
export async function readBody(request: IncomingMessage, type: string, limit: number): Promise<ReadBody> {
  const raw = await receiveAll(request, limit);
  if (raw === null) return TOO_LARGE;
  if (raw.length === 0) return {};
  const [given = ""] = (request.headers["content-type"] ?? "").split(";");
  const media = given.trim().toLowerCase();
  if (media !== type && !(type === "application/json" && /^application\/[a-z0-9.+-]*\+json$/.test(media))) return WRONG_TYPE;
  try {
    const text = utf8.decode(raw);
    const body: unknown = type === "application/json" ? readJson(text) : Object.fromEntries(new URLSearchParams(text));
    if (!isShallow(body)) return UNREADABLE;
    if (text.includes("\\u") || text.includes("%") || text.includes("\u0000")) {
      const field = unstorable(body, "_");
      if (field !== null) return refused("validation", "errors.validation", { [field]: "errors.validation" });
    }
    return { body };
  } catch {
    return UNREADABLE;
  }
}
