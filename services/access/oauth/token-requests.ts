import { enqueue, queryAll, queryOne, queryOutside } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { digest } from "../../../core/security/crypto.ts";
import { isVerifierOf } from "../../../core/security/pkce.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import type { Client } from "./clients.ts";
import { codeOutcome, refreshOutcome } from "./grants.ts";
import { invalidClient, invalidGrant, invalidTarget } from "./refusals.ts";
import {
  ACCESS_SECONDS,
  answeredBefore,
  auditEnd,
  beginSession,
  endSessions,
  type Reason,
  rotate,
  type Tokens,
} from "./sessions.ts";

/** Tokens with their scopes and lifetime. */
export interface Granted extends Tokens {
  scopes: readonly string[];
  expiresIn: number;
}

const OWNER = (account: string) => `accounts a join memberships m on m.account_id = a.id and m.organisation_id = $1
  where a.id = ${account} and a.is_active and m.deactivated_at is null`;
const FIND_CODE = statement(`select c.id, c.client_id, c.account_id, c.redirect_uri, c.challenge, c.scopes, c.resource, c.key_id,
    c.redeemed_at is not null as is_redeemed, c.expires_at > now() as is_unexpired, exists (select from ${OWNER("c.account_id")}) as is_owner_live
  from oauth_codes c where c.organisation_id = $1 and c.code_hash = $2`);
const FIND_REFRESH = statement(`select r.id, r.key_id, r.rotated_at is not null as is_rotated, r.successor,
    coalesce(r.rotated_at > now() - interval '30 seconds', false) as in_grace,
    s.id is not null and s.rotated_at is null as is_successor_unused, r.expires_at > now() as is_unexpired,
    k.oauth_client_id as client_id, k.account_id, k.scopes, k.oauth_resource as resource, k.revoked_at is null as is_session_live,
    greatest(0, floor(extract(epoch from k.expires_at - now())))::int as seconds_left, exists (select from ${OWNER("k.account_id")}) as is_owner_live
  from oauth_refresh_tokens r
  join api_keys k on k.organisation_id = r.organisation_id and k.id = r.key_id
  left join oauth_refresh_tokens s on s.organisation_id = r.organisation_id and s.id = r.successor_id
  where r.organisation_id = $1 and r.token_hash = $2`);

// Revocations change these rows: a revocation waits for the new tokens and includes them, or the tokens wait and are not issued.
const CLIENT_STILL = statement(
  "select id from oauth_clients where organisation_id = $1 and id = $2 and revoked_at is null for share",
);
const OWNER_STILL = statement(`select a.id from ${OWNER("$2")} for share of a, m`);
const TAKE_CODE = statement(`update oauth_codes set redeemed_at = now()
  where organisation_id = $1 and id = $2 and redeemed_at is null and expires_at > now() returning id`);
const ISSUED = statement("update oauth_codes set key_id = $3 where organisation_id = $1 and id = $2");
const TAKE_REFRESH = statement(`select id from oauth_refresh_tokens
  where organisation_id = $1 and id = $2 and rotated_at is null and expires_at > now() for update`);
const SESSION_STILL = statement(
  "select id from api_keys where organisation_id = $1 and id = $2 and revoked_at is null for update",
);

interface CodeRow {
  id: string;
  client_id: string;
  account_id: string;
  redirect_uri: string;
  challenge: string;
  scopes: string[];
  resource: string | null;
  key_id: string | null;
  is_redeemed: boolean;
  is_unexpired: boolean;
  is_owner_live: boolean;
}

interface RefreshRow {
  id: string;
  key_id: string;
  client_id: string;
  account_id: string;
  scopes: string[];
  resource: string | null;
  successor: string | null;
  seconds_left: number;
  is_rotated: boolean;
  in_grace: boolean;
  is_successor_unused: boolean;
  is_unexpired: boolean;
  is_session_live: boolean;
  is_owner_live: boolean;
}

/** Ends the session of a replayed code or token. This persists although the request is refused (conventions §11). */
async function endReplayed(keyId: string, { client_id, account_id }: CodeRow | RefreshRow, reason: Reason): Promise<void> {
  await inOwnTransaction(async () => {
    const ended = await endSessions({ keyId });
    if (ended > 0) await auditEnd(reason, client_id, account_id, ended);
  });
}

/**
 * Redeems a code (RFC 6749 §4.1.3). Of several requests with one code, the database lets one through.
 * @throws 400 `invalid_grant`, `invalid_target`
 */
export async function redeemCode(
  client: Client,
  sent: { code: string; redirectUri: string; verifier: string; resource: string | null },
): Promise<Granted> {
  const { id: organisation } = request().organisation;
  const code = await queryOutside<CodeRow>(FIND_CODE, [organisation, digest(sent.code)]);
  if (!code) throw invalidGrant();
  const outcome = codeOutcome(
    {
      clientId: code.client_id,
      redirectUri: code.redirect_uri,
      resource: code.resource,
      isRedeemed: code.is_redeemed,
      isUnexpired: code.is_unexpired,
      isOwnerLive: code.is_owner_live,
    },
    {
      clientId: client.id,
      redirectUri: sent.redirectUri,
      verifierFits: isVerifierOf(sent.verifier, code.challenge),
      resource: sent.resource,
    },
  );
  if (outcome === "replayed" && code.key_id !== null) await endReplayed(code.key_id, code, "code_replay");
  if (outcome === "wrong_target") throw invalidTarget();
  if (outcome !== "good") throw invalidGrant();
  const [stillClient, owner, taken] = await queryAll(
    [CLIENT_STILL, [organisation, code.client_id]],
    [OWNER_STILL, [organisation, code.account_id]],
    [TAKE_CODE, [organisation, code.id]],
  );
  if (stillClient?.length === 0) throw invalidClient();
  if (owner?.length === 0 || taken?.length === 0) throw invalidGrant();
  const { scopes, resource, account_id: accountId } = code;
  const { keyId, tokens } = beginSession({ name: client.name, scopes, accountId, clientId: code.client_id, resource });
  enqueue(ISSUED, [organisation, code.id, keyId]);
  return { ...tokens, scopes, expiresIn: ACCESS_SECONDS };
}

/**
 * Refreshes a session (RFC 6749 §6): each refresh token works once.
 * @throws 400 `invalid_grant`, `invalid_target`
 */
export async function refreshSession(client: Client, sent: { token: string; resource: string | null }): Promise<Granted> {
  const { id: organisation } = request().organisation;
  for (;;) {
    const token = await queryOutside<RefreshRow>(FIND_REFRESH, [organisation, digest(sent.token)]);
    if (!token) throw invalidGrant();
    const outcome = refreshOutcome(
      {
        clientId: token.client_id,
        resource: token.resource,
        isRotated: token.is_rotated,
        inGrace: token.in_grace,
        isSuccessorUnused: token.is_successor_unused,
        isUnexpired: token.is_unexpired,
        isSessionLive: token.is_session_live,
        isOwnerLive: token.is_owner_live,
      },
      { clientId: client.id, resource: sent.resource },
    );
    if (outcome === "replayed") await endReplayed(token.key_id, token, "refresh_replay");
    if (outcome === "wrong_target") throw invalidTarget();
    if (outcome === "replayed" || outcome === "refused") throw invalidGrant();
    if (outcome === "again") {
      const before = answeredBefore(token.id, token.successor);
      if (!before) throw invalidGrant();
      return { ...before, scopes: token.scopes, expiresIn: token.seconds_left };
    }
    const tokens = await inOwnTransaction(() => rotated(token));
    if (tokens) return { ...tokens, scopes: token.scopes, expiresIn: ACCESS_SECONDS };
    // Another request rotated this token first; look again.
  }
}

/** Rotates a token; null if another request already has. */
async function rotated({ id, key_id, client_id, account_id }: RefreshRow): Promise<Tokens | null> {
  const { id: organisation } = request().organisation;
  if (!(await queryOne(TAKE_REFRESH, [organisation, id]))) return null;
  const [stillClient, owner, session] = await queryAll(
    [CLIENT_STILL, [organisation, client_id]],
    [OWNER_STILL, [organisation, account_id]],
    [SESSION_STILL, [organisation, key_id]],
  );
  if (stillClient?.length === 0) throw invalidClient();
  if (owner?.length === 0 || session?.length === 0) throw invalidGrant();
  return rotate(id, key_id);
}
