import { runtime } from "../../../core/config/runtime.ts";
import { newId } from "../../../core/database/model.ts";
import { enqueue, query, queryAll } from "../../../core/database/query.ts";
import { seal, unseal } from "../../../core/database/sealed.ts";
import { request } from "../../../core/request/context.ts";
import { newKeyValue } from "../../../core/security/api-key.ts";
import { digest, randomHex } from "../../../core/security/crypto.ts";
import { statement } from "../../../core/sql/statement.ts";
import { audit } from "../audit.ts";

/** Lifetime of an access token, in seconds. */
export const ACCESS_SECONDS = 3_600;
const REFRESH_DAYS = 90;

/** New tokens: their values exist only here and in the client's answer. */
export interface Tokens {
  access: string;
  refresh: string;
}

/** A new session: a personal key with a refresh token. */
export interface NewSession {
  name: string;
  scopes: readonly string[];
  accountId: string;
  clientId: string;
  resource: string | null;
}

/** Refresh tokens have a different prefix, so they are never mistaken for keys. */
const refreshValue = (): string => `${runtime().config.keyPrefix}r_${randomHex(32)}`;

const KEY = statement(`insert into api_keys
    (id, organisation_id, name, lookup, secret_hash, scopes, account_id, oauth_client_id, oauth_resource, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10))`);
const REFRESH = statement(`insert into oauth_refresh_tokens (id, organisation_id, key_id, token_hash, expires_at)
  values ($1, $2, $3, $4, now() + make_interval(days => $5))`);
const RENEW =
  statement(`update api_keys set lookup = $3, secret_hash = $4, expires_at = now() + make_interval(secs => $5), updated_at = now()
  where organisation_id = $1 and id = $2`);
const ROTATE = statement(`update oauth_refresh_tokens set rotated_at = now(), successor_id = $3, successor = $4
  where organisation_id = $1 and id = $2`);
/** The predecessor's answer can no longer be repeated, so its stored copy goes. */
const FORGET = statement(`update oauth_refresh_tokens set successor = null
  where organisation_id = $1 and successor_id = $2 and successor is not null`);

/** Starts a session within the running transaction. @returns its key and its tokens */
export function beginSession({ name, scopes, accountId, clientId, resource }: NewSession): { keyId: string; tokens: Tokens } {
  const { organisation } = request();
  const { value, lookup, secretHash } = newKeyValue(runtime().config.keyPrefix);
  const [keyId, refresh] = [newId(), refreshValue()];
  // A key's name has at most 120 characters.
  const named = [...name].slice(0, 120).join("");
  const stored = [named, lookup, secretHash, scopes, accountId, clientId, resource, ACCESS_SECONDS];
  enqueue(KEY, [keyId, organisation.id, ...stored]);
  enqueue(REFRESH, [newId(), organisation.id, keyId, digest(refresh), REFRESH_DAYS]);
  return { keyId, tokens: { access: value, refresh } };
}

const placeOf = (tokenId: string) => ({
  table: "oauth_refresh_tokens",
  column: "successor",
  organisation: request().organisation.id,
  row: tokenId,
});

/** Issues a session's next tokens within the running transaction; the commit invalidates the previous access token. */
export function rotate(tokenId: string, keyId: string): Tokens {
  const { organisation } = request();
  const { value, lookup, secretHash } = newKeyValue(runtime().config.keyPrefix);
  const tokens = { access: value, refresh: refreshValue() };
  const next = newId();
  enqueue(REFRESH, [next, organisation.id, keyId, digest(tokens.refresh), REFRESH_DAYS]);
  enqueue(ROTATE, [organisation.id, tokenId, next, seal(JSON.stringify(tokens), placeOf(tokenId))]);
  enqueue(FORGET, [organisation.id, tokenId]);
  enqueue(RENEW, [organisation.id, keyId, lookup, secretHash, ACCESS_SECONDS]);
  return tokens;
}

/** The stored answer of a rotation, or null if it is gone. */
export function answeredBefore(tokenId: string, successor: string | null): Tokens | null {
  const text = unseal(successor, placeOf(tokenId));
  return text === null ? null : (JSON.parse(text) as Tokens);
}

/** The sessions to end: one, all of a client, or one person's with a client. */
export type Ending = { keyId: string } | { clientId: string; accountId: string | null };

const OF = "organisation_id = $1 and (id = $2 or oauth_client_id = $3 and account_id = coalesce($4, account_id))";
const LOCK = statement(`select id from api_keys where ${OF} order by id for update`);
/** A separate statement after that lock, so that it sees keys created with these keys meanwhile (access §6.2). */
const END = statement(`with recursive line as (
    select id from api_keys where ${OF}
    union select k.id from api_keys k join line on k.organisation_id = $1 and k.parent_key_id = line.id)
  update api_keys k set revoked_at = now(), updated_at = now() from line
   where k.organisation_id = $1 and k.id = line.id and k.revoked_at is null returning k.id, k.oauth_client_id, k.account_id`);
const NAMED = statement("select client_id, name from oauth_clients where organisation_id = $1 and id = $2");

/** Why a session ended, for the audit. */
export type Reason = "token" | "connection" | "code_replay" | "refresh_replay";

/** Ends sessions within the running transaction, with every key created with them. @returns the number of sessions */
export async function endSessions(ending: Ending): Promise<number> {
  const which = "keyId" in ending ? [ending.keyId, null, null] : [null, ending.clientId, ending.accountId];
  const place = [request().organisation.id, ...which];
  const [, ended = []] = await queryAll([LOCK, place], [END, place]);
  return ended.filter(({ oauth_client_id }) => oauth_client_id !== null).length;
}

/** Audits that a client's access ended, and why. @param accountId the person, or null if it may be several */
export async function auditEnd(reason: Reason, clientId: string, accountId: string | null, sessions: number): Promise<void> {
  const [client] = await query<{ client_id: string; name: string }>(NAMED, [request().organisation.id, clientId]);
  const detail = { by: reason, client_id: client?.client_id, client_name: client?.name, sessions };
  audit("oauth.revoke", { targetAccountId: accountId, detail });
}
