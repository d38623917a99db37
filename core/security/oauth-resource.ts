import type { Principal } from "../declare/principal.ts";

/** Paths of protected resources, as a JSON Schema pattern (access §8.1). */
export const RESOURCE_PATTERN = "^/mcp(/[A-Za-z0-9_-]+)?$";
const RESOURCE_PATH = new RegExp(RESOURCE_PATTERN);
const METADATA = "/.well-known/oauth-protected-resource";

/** The resource of a request that names none. */
export const DEFAULT_RESOURCE = "/mcp";

export const isResourcePath = (path: string): boolean => RESOURCE_PATH.test(path);

/** Whether a value identifies a protected resource of this origin (RFC 8707): exactly the origin and one of the paths. */
export const isResource = (origin: string, resource: string): boolean =>
  resource.startsWith(origin) && isResourcePath(resource.slice(origin.length));

/**
 * The `WWW-Authenticate` of a 401 (RFC 6750 §3, RFC 9728 §5.1), with the address of a protected resource's metadata.
 * @param origin scheme, host and port as the caller sees them
 * @param path of the resource, such as `/mcp`
 * @param error for a token that was presented and rejected
 */
export const bearerChallenge = (origin: string, path = DEFAULT_RESOURCE, error?: "invalid_token"): string =>
  `Bearer ${error ? `error="${error}", ` : ""}resource_metadata="${origin}${METADATA}${path}"`;

/**
 * Whether a token's audience permits a protected resource: a token for another resource does not (access §8.1). Sessions, manually created
 * keys and tokens without a resource permit every one.
 */
export const isMeantFor = ({ credential }: Pick<Principal, "credential">, origin: string, path: string): boolean =>
  credential.resource === undefined || credential.resource === `${origin}${path}`;
