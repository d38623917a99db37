import { newId } from "../../../core/database/model.ts";
import { queryAll, queryOne } from "../../../core/database/query.ts";
import { oauthEndpoint } from "../../../core/declare/makers/oauth-endpoint.ts";
import { request } from "../../../core/request/context.ts";
import { digest, randomHex } from "../../../core/security/crypto.ts";
import { statement } from "../../../core/sql/statement.ts";
import { blankToNull } from "../../../core/values/text.ts";
import { service } from "../../../mixins/resource.ts";
import { IS_THERE } from "./clients.ts";
import { ClientRegistration, RegisteredClient } from "./oauth-schemas.ts";
import { isRedirectUri } from "./redirect-uris.ts";
import { redirectInvalid, redirectRequired, tooManyClients } from "./refusals.ts";

/** Most self-registered clients per organisation (access §8.2). */
const MOST_CLIENTS = 200;
const FALLBACK_NAME = "MCP client";

const TAKE_TURNS = statement("select pg_advisory_xact_lock(hashtextextended('oauth clients ' || $1::uuid, 0))");
/** With the time until the oldest client without consent is removed; a day if each has consent. */
const COUNT = statement(`select count(*)::int as clients,
    (extract(epoch from coalesce(min(c.created_at) filter (where c.approved_at is null), statement_timestamp()) + interval '24 hours') * 1000)::float8 as until
  from oauth_clients c where c.organisation_id = $1 and not c.is_document and ${IS_THERE}`);
const REGISTER =
  statement(`insert into oauth_clients (id, organisation_id, client_id, name, client_uri, redirect_uris, secret_hash)
  values ($1, $2, $3, $4, $5, $6, $7) returning extract(epoch from created_at)::int as at`);

/** Registration of clients (RFC 7591). */
export default service("oauth.clients", {
  actions: {
    register: oauthEndpoint({
      rest: "POST /oauth/register",
      summary: "Register a client (RFC 7591)",
      description:
        "Grants nothing: a person must consent within a day, or the client is removed. With `token_endpoint_auth_method` `client_secret_post` the client gets a secret, shown once. A client whose `client_id` is the https address of its own metadata document needs no registration.",
      open: "registering grants nothing",
      limit: "client-registration",
      oauth: "invalid_client_metadata",
      body: ClientRegistration,
      returns: RegisteredClient,
      oneTime: true,
      errors: [
        "validation errors.oauth_redirect_required",
        "validation errors.oauth_redirect_invalid",
        "rate_limited errors.oauth_too_many_clients",
      ],
      exceptions: { malformed: "conventions §8: it answers in the shape of RFC 7591, not in the envelope" },
      async handler(ctx) {
        const { client_name, client_uri, redirect_uris: redirects = [], token_endpoint_auth_method } = ctx.params.body;
        const uri = blankToNull(client_uri) ?? null;
        if (redirects.length === 0) throw redirectRequired();
        if (!redirects.every(isRedirectUri)) throw redirectInvalid();
        const { id: organisation } = ctx.meta.organisation;
        const [, [counted] = []] = await queryAll([TAKE_TURNS, [organisation]], [COUNT, [organisation]]);
        const { clients, until } = counted as { clients: number; until: number };
        if (clients >= MOST_CLIENTS) throw tooManyClients(until);

        const name = client_name?.trim() || FALLBACK_NAME;
        const clientId = randomHex(16);
        const secret = token_endpoint_auth_method === "client_secret_post" ? randomHex(32) : null;
        const stored = [clientId, name, uri, redirects, secret === null ? null : digest(secret)];
        const row = await queryOne<{ at: number }>(REGISTER, [newId(), organisation, ...stored]);
        request().headers["Cache-Control"] = "no-store";
        return {
          client_id: clientId,
          client_id_issued_at: row?.at,
          client_name: name,
          ...(uri !== null && { client_uri: uri }),
          redirect_uris: redirects,
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
          token_endpoint_auth_method: secret === null ? "none" : "client_secret_post",
          ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
        };
      },
    }),
  },
});
