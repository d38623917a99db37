import { DEFAULT_RESOURCE, isResourcePath } from "../../../core/security/oauth-resource.ts";

const SERVER = "/.well-known/oauth-authorization-server";
const RESOURCE = "/.well-known/oauth-protected-resource";
const DOCUMENTS = "/api/v1/oauth/metadata";

/** A document that is also served at the root of the host: its API path and query. */
export interface Elsewhere {
  path: string;
  query: string;
}

/**
 * Maps a well-known path to its API document (RFC 8414 §3, RFC 9728 §3.1); a protected resource's path follows the prefix. Null for every
 * other path.
 */
export function wellKnown(path: string): Elsewhere | null {
  if (path === SERVER) return { path: `${DOCUMENTS}/authorization-server`, query: "" };
  if (!path.startsWith(RESOURCE)) return null;
  const resource = path.slice(RESOURCE.length) || DEFAULT_RESOURCE;
  return isResourcePath(resource) ? { path: `${DOCUMENTS}/protected-resource`, query: `resource_path=${resource}` } : null;
}
