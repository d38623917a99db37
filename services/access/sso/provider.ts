import { LRUCache } from "lru-cache";
import type { Configuration, ServerMetadata } from "openid-client";
import { HARD_TIMEOUT } from "../../../core/outbound/call.ts";
import { guardedFetch } from "../../../core/outbound/guard/guarded-fetch.ts";
import { digest } from "../../../core/security/crypto.ts";
import { hasGaps, type Identity, identityOf } from "./claims.ts";
import { discovered, type ProviderMetadata } from "./discovery.ts";
import type { RoundTrip } from "./round-trip.ts";
import type { Connection } from "./settings-rules.ts";

/** A connection of which nothing is missing. */
export type WholeConnection = { [Part in keyof Connection]: NonNullable<Connection[Part]> };

/** The provider could not be reached, or what it sent proves no identity. The message holds no secret. */
export class NotSignedOn extends Error {
  override name = "NotSignedOn";
}

const SCOPES = "openid email profile";
const MOST_BYTES = 1024 * 1024;

/** What a provider says is asked anew after so long, its keys at the latest when one is missing. */
const KEPT = 300_000;
const known = new LRUCache<string, Configuration>({ max: 1000, ttl: KEPT });

const library = () => import("openid-client");

/** RFC 6749 §2.3.1 has servers take the header at least, so that is what one that says nothing gets (OpenID Connect Discovery §3). */
const takesBody = ({ token_endpoint_auth_methods_supported: methods }: ProviderMetadata): boolean =>
  Array.isArray(methods) && methods.includes("client_secret_post");

/** Names a provider and our client there, whatever its secret. */
export const providerOf = ({ discovery_url: url, client_id: id }: WholeConnection): string =>
  digest(JSON.stringify([url, id])).toString("base64url");

/** Ready to talk to a provider: every address it names passes the guard at every use, and signatures are always verified. */
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
  // Without it the library trusts TLS to the token endpoint in place of the signature.
  oidc.enableNonRepudiationChecks(config);
  // A provider in the own network may speak plain http; one found over https may not lead there.
  if (/^http:/i.test(url)) oidc.allowInsecureRequests(config);
  known.set(place, config);
  return config;
}

/** What went wrong in the library's words, which name no token, code or secret. */
function reasonOf(error: unknown): string {
  if (error instanceof NotSignedOn) return error.message;
  const { message, code, cause, error: told } = error as Record<string, unknown> & { cause?: { message?: unknown } };
  const parts = [code, message, cause?.message, typeof told === "string" ? told.slice(0, 100) : undefined];
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
 * Where to send a person who wants to sign in (OpenID Connect Core §3.1.2.1), with PKCE.
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
 * Redeems the code a person came back with, and gives who the provider says it is: issuer, audience, expiry, nonce and signature of the ID
 * token have been verified.
 * @param returned the callback's address with what the provider sent along
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
    if (!claims) throw new NotSignedOn("there is no ID token");
    const asks = hasGaps(claims) && config.serverMetadata().userinfo_endpoint !== undefined;
    // Without a profile there is a person without name or picture.
    const profile = asks ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub).catch(() => ({})) : {};
    const identity = identityOf(claims, profile);
    if (!identity) throw new NotSignedOn("the ID token names no subject");
    return identity;
  });
}
