import { LRUCache } from "lru-cache";
import { callOutside, OutboundFailed } from "../../../core/outbound/call.ts";
import { OutboundRefused } from "../../../core/outbound/guard/policy.ts";
import { isDangerousLink, isLine } from "../../../core/schema/schema.ts";
import { blankToNull } from "../../../core/values/text.ts";
import { isRedirectUri } from "./redirect-uris.ts";

/** A client's metadata document. */
export interface ClientDocument {
  name: string;
  uri: string | null;
  redirectUris: readonly string[];
}

const LONGEST = 1024;
const MOST_BYTES = 64 * 1024;
const MOST_REDIRECTS = 100;
/** Timeout for fetching a document, in milliseconds: a person is waiting. */
const PATIENCE = 5_000;
/** Seconds to cache a document, by default and at most (access §8.2). */
const USUAL_LIFE = 3_600;
const LONGEST_LIFE = 86_400;

const known = new LRUCache<string, ClientDocument>({ max: 500 });

/** Whether a `client_id` is the address of a metadata document: https with a path, in canonical form, without fragment or user. */
export function isDocumentAddress(clientId: string): boolean {
  if (clientId.length > LONGEST || !clientId.startsWith("https://") || !URL.canParse(clientId)) return false;
  const { href, pathname, hash, username, password } = new URL(clientId);
  return href === clientId && pathname.length > 1 && hash === "" && !clientId.includes("#") && username === "" && password === "";
}

/**
 * Reads a metadata document; null if it is unusable (access §8.2): it names another client, contains or requires a secret, or lists invalid
 * redirect URIs.
 * @param address where it was fetched; it must equal its `client_id`
 */
export function readDocument(address: string, body: unknown): ClientDocument | null {
  if (typeof body !== "object" || body === null) return null;
  const {
    client_id,
    client_name,
    client_uri,
    redirect_uris,
    token_endpoint_auth_method: method,
  } = body as Record<string, unknown>;
  if (client_id !== address || "client_secret" in body || "client_secret_expires_at" in body) return null;
  if (method !== undefined && method !== "none") return null;
  const isUri = (uri: unknown): uri is string => typeof uri === "string" && isRedirectUri(uri);
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0 || redirect_uris.length > MOST_REDIRECTS) return null;
  if (!redirect_uris.every(isUri)) return null;
  const name = client_name ?? new URL(address).host;
  if (typeof name !== "string" || [...name].length > 200 || !isLine(name) || !name.isWellFormed()) return null;
  const uri = client_uri ?? null;
  if (uri !== null && (typeof uri !== "string" || uri.length > LONGEST || !isLine(uri) || isDangerousLink(uri))) return null;
  return { name: name.trim() || new URL(address).host, uri: blankToNull(uri) ?? null, redirectUris: redirect_uris };
}

/** Milliseconds to cache a document, by its `Cache-Control`. */
export function lifeOf(cacheControl: string): number {
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return 0;
  const age = Number(/\bmax-age=(\d{1,9})\b/i.exec(cacheControl)?.[1] ?? USUAL_LIFE);
  return Math.min(age, LONGEST_LIFE) * 1000;
}

/**
 * The document behind a `client_id`, cached or fetched through the outbound guard; null if there is no usable one. Failures are not cached.
 * Call it outside a transaction.
 */
export async function clientDocument(address: string): Promise<ClientDocument | null> {
  const kept = known.get(address);
  if (kept) return kept;
  try {
    const call = { headers: { accept: "application/json" }, timeout: PATIENCE, mostBytes: MOST_BYTES };
    const { status, headers, body } = await callOutside("client_metadata", address, call);
    if (status !== 200 || !/^application\/([a-z0-9.+-]+\+)?json\b/i.test(headers["content-type"] ?? "")) return null;
    const found = readDocument(address, JSON.parse(body.toString("utf8")));
    const ttl = lifeOf(headers["cache-control"] ?? "");
    if (found && ttl > 0) known.set(address, found, { ttl });
    return found;
  } catch (error) {
    if (error instanceof OutboundRefused || error instanceof OutboundFailed || error instanceof SyntaxError) return null;
    throw error;
  }
}
