import { newId } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import type { Meta } from "../../../core/declare/principal.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { digest, randomHex } from "../../../core/security/crypto.ts";
import { isResource } from "../../../core/security/oauth-resource.ts";
import { statement } from "../../../core/sql/statement.ts";
import { audit } from "../audit.ts";
import { type Client, findClient, IS_THERE } from "./clients.ts";
import type { ConsentApproval } from "./oauth-schemas.ts";
import { isRegistered } from "./redirect-uris.ts";
import { clientUnknown, invalidTarget, redirectMismatch } from "./refusals.ts";

/** The part of a consent request that decides whether its redirect URI can be trusted with an error. */
export interface AskedConsent {
  client_id: string;
  redirect_uri: string;
  resource?: string | null;
}

const APPROVE = statement(`update oauth_clients c set approved_at = coalesce(c.approved_at, now()), updated_at = now()
  where c.organisation_id = $1 and c.id = $2 and ${IS_THERE} returning c.id`);
const KEEP =
  statement(`insert into oauth_clients as c (id, organisation_id, client_id, is_document, name, client_uri, approved_at)
  values ($1, $2, $3, true, $4, $5, now())
  on conflict (organisation_id, client_id) do update set name = excluded.name, client_uri = excluded.client_uri, updated_at = now()
  returning c.id`);
const REMEMBER = statement(`insert into oauth_approvals as a (organisation_id, client_id, account_id) values ($1, $2, $3)
  on conflict (organisation_id, client_id, account_id) do update set updated_at = now()`);
const CODE = statement(`insert into oauth_codes
    (id, organisation_id, client_id, account_id, code_hash, redirect_uri, challenge, scopes, resource, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + interval '10 minutes')`);

/**
 * Finds the requesting client and checks redirect URI and resource (access §8.3): the one check for both calls and the page. Never answer
 * its refusals by redirect.
 * @throws 400 `errors.oauth_client_unknown`, `errors.oauth_redirect_mismatch`, `invalid_target`
 */
export async function askingClient(asked: AskedConsent, { origin }: Meta): Promise<Client> {
  const client = await findClient(asked.client_id, { anywhere: true });
  if (!client) throw clientUnknown();
  if (!isRegistered(asked.redirect_uri, client.redirectUris)) throw redirectMismatch();
  // An empty parameter counts as not sent (RFC 6749 §3.1).
  if (asked.resource && !isResource(origin, asked.resource)) throw invalidTarget();
  return client;
}

/**
 * Records that a person approved a client, and creates the code for the client to redeem.
 * @returns the code; only its digest is stored
 * @throws 400 `errors.oauth_client_unknown` if the client has been revoked meanwhile
 */
export async function approve(client: Client, accountId: string, approval: Static<typeof ConsentApproval>): Promise<string> {
  const { organisation } = request();
  const { redirect_uri, code_challenge } = approval;
  const resource = approval.resource || null;
  const scopes = [...new Set(approval.scopes)];
  const row = client.isDocument
    ? await queryOne<{ id: string }>(KEEP, [newId(), organisation.id, client.clientId, client.name, client.uri])
    : await queryOne<{ id: string }>(APPROVE, [organisation.id, client.id]);
  if (!row) throw clientUnknown();
  const code = randomHex(32);
  const bound = [accountId, digest(code), redirect_uri, code_challenge, scopes, resource];
  enqueue(REMEMBER, [organisation.id, row.id, accountId]);
  enqueue(CODE, [newId(), organisation.id, row.id, ...bound]);
  audit("oauth.consent", {
    targetAccountId: accountId,
    detail: { client_id: client.clientId, client_name: client.name, scopes, resource },
  });
  return code;
}
