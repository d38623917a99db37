import { LRUCache } from "lru-cache";
import type { Configuration, ServerMetadata } from "openid-client";
import { HARD_TIMEOUT } from "../../../core/outbound/call.ts";
import { guardedFetch } from "../../../core/outbound/guard/guarded-fetch.ts";
import { digest } from "../../../core/security/crypto.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { hasGaps, type Identity, identityOf } from "./claims.ts";
import { discovered, type ProviderMetadata } from "./discovery.ts";
import type { RoundTrip } from "./round-trip.ts";
import type { Connection } from "./settings-rules.ts";

/** A complete connection. */
export type WholeConnection = { [Part in keyof Connection]: NonNullable<Connection[Part]> };

/** The provider is unreachable, or its answer proves no identity. The message contains no secret. */
export class NotSignedOn extends Error {
  override name = "NotSignedOn";
}

const SCOPES = "openid email profile";
const MOST_BYTES = 1024 * 1024;

/** How long to cache a provider's metadata, in milliseconds; missing keys are fetched sooner. */
const KEPT = 300_000;
const known = new LRUCache<string, Configuration>({ max: 1000, ttl: KEPT });

const library = () => import("openid-client");

/** Servers must support the header (RFC 6749 §2.3.1), which is also the default (OpenID Connect Discovery §3). */
const takesBody = ({ token_endpoint_auth_methods_supported: methods }: ProviderMetadata): boolean =>
  Array.isArray(methods) && methods.includes("client_secret_post");

/** Identifies a provider and our client there, but not the secret. */
export const providerOf = ({ discovery_url: url, client_id: id }: WholeConnection): string =>
  digest(JSON.stringify([url, id])).toString("base64url");

/** The library's configuration for a provider: the guard checks every address it names at every use, and signatures are always verified. */
async function configured({ discovery_url: url, client_id: id, secret }: WholeConnection, organisation: string) {
  const place = digest(JSON.stringify([organisation, url, id, secret])).toString("base64");
  const kept = known.get(place);
  if (kept) return kept;
  const found = await discovered(url);
  if ("error" in found) throw new NotSignedOn(found.error);
  const oidc = await library();
  const { metadata } = found;
  const authentication = takesBody(metadata) ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
  const config = new oidc.Configuration(metadata as ServerMetadata, id, { client_secret: secret }, authentication);
  config.timeout = HARD_TIMEOUT / 1000;
  config[oidc.customFetch] = guardedFetch("sso", { timeout: HARD_TIMEOUT, mostBytes: MOST_BYTES }) as never;
  // Otherwise the library trusts TLS to the token endpoint instead of the signature.
  oidc.enableNonRepudiationChecks(config);
  // A provider on the local network may use plain http; one found over https may not lead there.
  if (/^http:/i.test(url)) oidc.allowInsecureRequests(config);
  known.set(place, config);
  return config;
}

/** The library's reason; it contains no token, code or secret. */
function reasonOf(error: unknown): string {
  if (error instanceof NotSignedOn) return error.message;
  const { message, code, cause, error: oauthError } = error as Record<string, unknown> & { cause?: { message?: unknown } };
  const parts = [code, message, cause?.message, typeof oauthError === "string" ? shortened(oauthError, 100) : undefined];
  return [...new Set(parts.filter((part) => typeof part === "string"))].join(": ");
}

async function orNotSignedOn<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new NotSignedOn(reasonOf(error), { cause: error });
  }
}

/**
 * The provider's address for a person who wants to sign in (OpenID Connect Core §3.1.2.1), with PKCE.
 * @throws NotSignedOn
 */
export function authorizationAddress(
  connection: WholeConnection,
  organisation: string,
  callback: string,
  { state, nonce, verifier }: RoundTrip,
): Promise<string> {
  return orNotSignedOn(async () => {
    const oidc = await library();
    const config = await configured(connection, organisation);
    const parameters = {
      redirect_uri: callback,
      scope: SCOPES,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    return oidc.buildAuthorizationUrl(config, parameters).href;
  });
}

/**
 * Redeems the returned code and returns the person; verifies issuer, audience, expiry, nonce and signature of the ID token.
 * @param returned the callback's address with the provider's parameters
 * @throws NotSignedOn
 */
export function returnedIdentity(
  connection: WholeConnection,
  organisation: string,
  returned: URL,
  { state, nonce, verifier }: RoundTrip,
): Promise<Identity> {
  return orNotSignedOn(async () => {
    const oidc = await library();
    const config = await configured(connection, organisation);
    const tokens = await oidc.authorizationCodeGrant(config, returned, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new NotSignedOn("the response has no ID token");
    const asks = hasGaps(claims) && config.serverMetadata().userinfo_endpoint !== undefined;
    // Without a profile, the person has no name or picture.
    const profile = asks ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub).catch(() => ({})) : {};
    const identity = identityOf(claims, profile);
    if (!identity) throw new NotSignedOn("the ID token names no subject");
    return identity;
  });
}
