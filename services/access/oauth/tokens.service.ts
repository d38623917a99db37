import { runtime } from "../../../core/config/runtime.ts";
import { queryOne } from "../../../core/database/query.ts";
import { oauthEndpoint } from "../../../core/declare/makers/oauth-endpoint.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { type Static, Type } from "../../../core/schema/schema.ts";
import { digest, sameDigest } from "../../../core/security/crypto.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { type Client, findClient } from "./clients.ts";
import { RevocationForm, TokenAnswer, TokenForm } from "./oauth-schemas.ts";
import { clientMissing, invalidClient, invalidRequest, unsupportedGrantType } from "./refusals.ts";
import { auditEnd, endSessions } from "./sessions.ts";
import { type Granted, redeemCode, refreshSession } from "./token-requests.ts";

const OPEN = "a client authenticates with the request itself";
const SHAPE = "conventions §8: it answers in the shape of RFC 6749, not in the envelope";

const BY_ACCESS = statement(`select id, secret_hash, oauth_client_id, account_id from api_keys
  where organisation_id = $1 and lookup = $2 and oauth_client_id is not null`);
const BY_REFRESH = statement(`select k.id, k.oauth_client_id, k.account_id from oauth_refresh_tokens r
  join api_keys k on k.organisation_id = r.organisation_id and k.id = r.key_id where r.organisation_id = $1 and r.token_hash = $2`);

interface Session {
  id: string;
  oauth_client_id: string;
  account_id: string;
}

/** The session of an access or refresh token, even if it has ended; undefined for anything else. */
async function sessionOf(token: string): Promise<Session | undefined> {
  const { id: organisation } = request().organisation;
  const [, lookup, secret] = new RegExp(`^${runtime().config.keyPrefix}_([0-9a-f]{12})_([0-9a-f]{64})$`).exec(token) ?? [];
  if (lookup === undefined || secret === undefined) return queryOne<Session>(BY_REFRESH, [organisation, digest(token)]);
  const found = await queryOne<Session & { secret_hash: Buffer }>(BY_ACCESS, [organisation, lookup]);
  return found && sameDigest(found.secret_hash, digest(secret)) ? found : undefined;
}

/** @throws 401 `invalid_client` */
function requireClient(client: Client | null, secret: string | null | undefined): Client {
  if (!client) throw invalidClient();
  const proves = client.secretHash === null || sameDigest(client.secretHash, digest(secret ?? ""));
  if (!proves) throw invalidClient();
  return client;
}

/** @throws 400 `unsupported_grant_type`, `invalid_request` and the refusals of the grant */
function grantOf(client: Client, form: Static<typeof TokenForm>): Promise<Granted> {
  const { grant_type, code, redirect_uri: redirectUri, code_verifier: verifier, refresh_token: token } = form;
  // An empty field counts as not sent (RFC 6749 §3.2).
  const resource = form.resource || null;
  if (grant_type === "authorization_code") {
    if (!code || !redirectUri || !verifier) throw invalidRequest();
    return redeemCode(client, { code, redirectUri, verifier, resource });
  }
  if (grant_type !== "refresh_token") throw unsupportedGrantType();
  if (!token) throw invalidRequest();
  return refreshSession(client, { token, resource });
}

/** Issues and revokes tokens (access §8.4, §8.5). */
export default service("oauth.tokens", {
  actions: {
    issue: oauthEndpoint({
      rest: "POST /oauth/token",
      verb: "issue",
      summary: "Redeem a code or a refresh token",
      description:
        "Grant types `authorization_code`, with PKCE, and `refresh_token`. An access token is a personal key of the person who consented and works for an hour; a refresh token works once, for 90 days.",
      open: OPEN,
      oauth: "invalid_request",
      body: TokenForm,
      bodyType: "application/x-www-form-urlencoded",
      returns: TokenAnswer,
      status: 200,
      oneTime: true,
      errors: [
        "400 invalid_client errors.oauth_client_required",
        "401 invalid_client errors.oauth_client_unknown",
        "invalid_grant errors.oauth_invalid_grant",
        "invalid_request errors.oauth_invalid_request",
        "invalid_target errors.oauth_invalid_target",
        "unsupported_grant_type errors.oauth_unsupported_grant_type",
      ],
      exceptions: { malformed: SHAPE },
      prepare: async ({ params: { body } }) => (body.client_id ? findClient(body.client_id, { anywhere: false }) : null),
      async handler(ctx) {
        const { body } = ctx.params;
        if (!body.client_id) throw clientMissing();
        const client = requireClient(prepared<Client | null>(), body.client_secret);
        const { access, refresh, scopes, expiresIn } = await grantOf(client, body);
        request().headers["Cache-Control"] = "no-store";
        return {
          access_token: access,
          token_type: "Bearer",
          expires_in: expiresIn,
          refresh_token: refresh,
          scope: scopes.join(" "),
        };
      },
    }),

    revoke: oauthEndpoint({
      rest: "POST /oauth/revoke",
      summary: "End the session of a token (RFC 7009)",
      description: "Always 200, whether there was one or not. Either of its tokens ends the whole session.",
      open: OPEN,
      oauth: "invalid_request",
      body: RevocationForm,
      bodyType: "application/x-www-form-urlencoded",
      returns: Type.Object({}),
      status: 200,
      exceptions: { malformed: SHAPE },
      async handler(ctx) {
        request().headers["Cache-Control"] = "no-store";
        const session = await sessionOf(ctx.params.body.token);
        const ended = session ? await endSessions({ keyId: session.id }) : 0;
        if (session && ended > 0) await auditEnd("token", session.oauth_client_id, session.account_id, ended);
        return {};
      },
    }),
  },
});
