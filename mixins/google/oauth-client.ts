import { runtime } from "../../core/config/runtime.ts";
import { requireNoTransaction } from "../../core/outbound/call.ts";
import { ProviderFailure, provider } from "../../core/outbound/provider/provider.ts";
import { redact } from "../../core/outbound/redact.ts";
import { outsideOfRequests } from "../../core/request/context.ts";
import { GoogleFailure } from "./failure.ts";
import { type LibraryRequest, libraryAnswer, sentFrom } from "./transport.ts";

/** Total timeout of the token endpoint in milliseconds, including a retry (workspace §2.2). */
const TOKEN_TIMEOUT = 20_000;
/** Timeout of a revocation in milliseconds: it never blocks a disconnection (workspace §2.7). */
const REVOKE_TIMEOUT = 10_000;

const OFFICIAL = "https://oauth2.googleapis.com";
const tokens = provider({
  kind: "google_oauth",
  baseUrl: () => runtime().config.workspaceOauthApiUrl,
  wholeTimeout: TOKEN_TIMEOUT,
  mostBytes: 1 << 20,
});

/** An OAuth client: the organisation's or the instance's. */
export interface OAuthClient {
  id: string;
  secret: string;
}

/** The tokens from the token endpoint. */
export interface GrantedTokens {
  accessToken: string;
  /** Expiry of the access token, ISO 8601. */
  expiresAt: string;
  /** Null if Google sends none: the stored one stays valid. */
  refreshToken: string | null;
  /** All scopes of the grant; null if the response names none. */
  scopes: string[] | null;
  idToken: string | null;
}

/** The token endpoint rejected the grant or the OAuth client. The message can be stored as `last_error`. */
export class GrantRefused extends Error {
  override name = "GrantRefused";
  /** The error code of RFC 6749 §5.2, such as `invalid_grant`. */
  readonly error: string;
  constructor(error: string, message: string) {
    super(message);
    this.error = error;
  }
}

/** The rejection in a token endpoint's response (RFC 6749 §5.2); null for any other response. */
function refusalIn(status: number, body: string, secrets: readonly string[]): GrantRefused | null {
  if (status < 400 || status > 499) return null;
  try {
    const { error, error_description: why } = JSON.parse(body) as Record<string, unknown>;
    if (typeof error !== "string") return null;
    return new GrantRefused(error, redact(typeof why === "string" ? `${error}: ${why}` : error, secrets));
  } catch {
    return null;
  }
}

interface TokenCall {
  /** The key for shared limits: a connection, or the organisation before there is one. */
  account: string;
  operation: "exchange" | "refresh";
  secrets: readonly string[];
  signal?: AbortSignal | undefined;
}

/** Sends the library's request to the token endpoint, within 20 s. @throws GrantRefused, GoogleFailure (`unavailable` or `rate`) */
async function sendForTokens(request: LibraryRequest, { account, operation, secrets, signal }: TokenCall) {
  const deadline = AbortSignal.timeout(TOKEN_TIMEOUT);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const call = { ...sentFrom(request, OFFICIAL), headers: form, account, operation, secrets };
  const send = () =>
    tokens.call({
      ...call,
      // A code can be redeemed only once; a refresh can be retried.
      effect: operation === "refresh" ? "idempotent" : "create",
      signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
    });
  try {
    // A refresh changes nothing the person would notice, and a read may need one, so it does not count as an act of the request.
    const answer = await (operation === "refresh" ? outsideOfRequests(send) : send());
    const refused = refusalIn(answer.status, answer.text(), secrets);
    if (refused) throw refused;
    if (answer.status !== 200) throw GoogleFailure.answered(answer.status, answer.text(), null, secrets);
    return libraryAnswer(answer, undefined);
  } catch (error) {
    const failure = error instanceof ProviderFailure ? GoogleFailure.of(error, secrets) : error;
    throw failure instanceof GoogleFailure ? failure.ofToken() : failure;
  }
}

/** The library's client of the token endpoint, loaded at the first call. */
async function libraryClient({ id, secret }: OAuthClient, call: TokenCall) {
  const { OAuth2Client } = await import("google-auth-library/build/src/auth/oauth2client.js");
  const request = (options: object) => sendForTokens(options as LibraryRequest, call);
  return new OAuth2Client({
    clientId: id,
    clientSecret: secret,
    transporter: { request } as never,
    useAuthRequestParameters: false,
  });
}

interface LibraryTokens {
  access_token?: string | null;
  expiry_date?: number | null;
  refresh_token?: string | null;
  scope?: string;
  id_token?: string | null;
}

/** @throws GoogleFailure for a response without a token or its expiry */
function granted({ access_token, expiry_date, refresh_token, scope, id_token }: LibraryTokens): GrantedTokens {
  if (!access_token || typeof expiry_date !== "number")
    throw new GoogleFailure("unavailable", "the token endpoint answered without an access token or its end", {
      status: 200,
      isUnsent: true,
    });
  const scopes = scope?.split(" ").filter((one) => one !== "");
  return {
    accessToken: access_token,
    expiresAt: new Date(expiry_date).toISOString(),
    refreshToken: refresh_token || null,
    scopes: scopes?.length ? scopes : null,
    idToken: id_token || null,
  };
}

/**
 * Redeems the authorisation code from a person's return.
 * @throws GrantRefused, GoogleFailure
 */
export async function exchangeCode(client: OAuthClient, code: string, callback: string, account: string): Promise<GrantedTokens> {
  const library = await libraryClient(client, { account, operation: "exchange", secrets: [client.secret, code] });
  const { tokens: given } = await library.getToken({ code, redirect_uri: callback });
  return granted(given);
}

/**
 * Gets a new access token for a grant.
 * @param connectionId the key for shared limits
 * @throws GrantRefused, GoogleFailure
 */
export async function refreshGrant(
  client: OAuthClient,
  refreshToken: string,
  connectionId: string,
  signal?: AbortSignal,
): Promise<GrantedTokens> {
  requireNoTransaction(tokens.kind);
  const secrets = [client.secret, refreshToken];
  const library = await libraryClient(client, { account: connectionId, operation: "refresh", secrets, signal });
  library.setCredentials({ refresh_token: refreshToken });
  await library.getAccessToken();
  const { refresh_token: rotated, ...credentials } = library.credentials;
  return granted({ ...credentials, ...(rotated !== refreshToken && { refresh_token: rotated ?? null }) });
}

/**
 * Revokes a grant at Google with all its tokens (RFC 7009). The token goes into the body only; the library would put it into the address.
 * A token that Google calls invalid belongs to a grant that is over, which RFC 7009 §2.2 counts as a success.
 * @returns the reason of a rejection, safe to log; null once the grant is over
 * @throws ProviderFailure if Google did not respond or requested a retry
 */
export async function revokeGrant(refreshToken: string, connectionId: string): Promise<string | null> {
  const secrets = [refreshToken];
  const answer = await tokens.call({
    account: connectionId,
    operation: "revoke",
    method: "POST",
    path: "/revoke",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ token: refreshToken }).toString(),
    effect: "idempotent",
    secrets,
    signal: AbortSignal.timeout(REVOKE_TIMEOUT),
  });
  if (answer.status === 200) return null;
  const isOver = answer.status === 400 && refusalIn(answer.status, answer.text(), secrets)?.error === "invalid_token";
  return isOver ? null : `HTTP ${answer.status}`;
}
