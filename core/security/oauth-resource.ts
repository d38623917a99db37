import type { Principal } from "../request/context.ts";

/** Paths of protected resources, as JSON Schema takes it (access §8.1). */
export const RESOURCE_PATTERN = "^/mcp(/[A-Za-z0-9_-]+)?$";
const RESOURCE_PATH = new RegExp(RESOURCE_PATTERN);
const METADATA = "/.well-known/oauth-protected-resource";

/** The resource that is meant where a request names none. */
export const DEFAULT_RESOURCE = "/mcp";

export const isResourcePath = (path: string): boolean => RESOURCE_PATH.test(path);

/** Whether a value is the identifier of a protected resource of this origin (RFC 8707): the origin and one of the paths, nothing else. */
export const isResource = (origin: string, resource: string): boolean =>
  resource.startsWith(origin) && isResourcePath(resource.slice(origin.length));

/**
 * The `WWW-Authenticate` of a 401 (RFC 6750 §3, RFC 9728 §5.1): where the metadata of a protected resource stands.
 * @param origin scheme, host and port as the caller sees them
 * @param path of the resource, for instance `/mcp`
 * @param error why a token that was presented does not count
 */
export const bearerChallenge = (origin: string, path = DEFAULT_RESOURCE, error?: "invalid_token"): string =>
  `Bearer ${error ? `error="${error}", ` : ""}resource_metadata="${origin}${METADATA}${path}"`;

/**
 * Whether a caller may use a protected resource as far as its token's audience goes: one recorded for another resource may not (access §8.1).
 * A session, a key that was made by hand, and a token recorded for none are for every resource.
 */
export const isMeantFor = ({ credential }: Pick<Principal, "credential">, origin: string, path: string): boolean =>
  credential.resource === undefined || credential.resource === `${origin}${path}`;
