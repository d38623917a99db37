import { DEFAULT_RESOURCE, isResourcePath } from "../../../core/security/oauth-resource.ts";

const SERVER = "/.well-known/oauth-authorization-server";
const RESOURCE = "/.well-known/oauth-protected-resource";
const DOCUMENTS = "/api/v1/oauth/metadata";

/** A document that stands at the root of the host too, as path and query of the API. */
export interface Elsewhere {
  path: string;
  query: string;
}

/**
 * Where the API has what a well-known path is about (RFC 8414 §3, RFC 9728 §3.1): for a protected resource its path stands behind. Null for
 * every other path.
 */
export function wellKnown(path: string): Elsewhere | null {
  if (path === SERVER) return { path: `${DOCUMENTS}/authorization-server`, query: "" };
  if (!path.startsWith(RESOURCE)) return null;
  const resource = path.slice(RESOURCE.length) || DEFAULT_RESOURCE;
  return isResourcePath(resource) ? { path: `${DOCUMENTS}/protected-resource`, query: `resource_path=${resource}` } : null;
}
