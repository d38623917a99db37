import { runtime } from "../../../core/config/runtime.ts";
import { enter } from "../../../core/database/connection/database.ts";
import { newId } from "../../../core/database/model.ts";
import { query, queryAll, queryOne } from "../../../core/database/query.ts";
import type { Principal } from "../../../core/declare/principal.ts";
import { forbidden, invalid, unauthorized } from "../../../core/errors/errors.ts";
import { requireNoImpersonation } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { readInstant } from "../../../core/schema/schema.ts";
import { newKeyValue } from "../../../core/security/api-key.ts";
import { statement } from "../../../core/sql/statement.ts";
import { audit } from "../audit.ts";
import { keyColumns } from "./key-projection.ts";
import { areScopes, coversScopes, expiryOf } from "./key-rules.ts";

/** A requested key. */
export interface AskedKey {
  name: string;
  scopes: readonly string[];
  expires_at?: string | null;
}

/** The owner of a new key. */
export type KeyOwner = { accountId: string } | { serviceAccountId: string };

// A request that revokes a person's keys locks the account or membership. It either waits for the new key and revokes it too, or the key
// waits and is not created.
const PERSON = statement(`select 1 from accounts a join memberships m on m.account_id = a.id and m.organisation_id = $1
  where a.id = $2 for key share of a, m`);
// Locks the whole line of parent keys: a revocation of any waits for the new key and includes it. The lock starts at the first key, as a
// revocation does; another order would deadlock.
const LINE = statement(`with recursive line as (
    select id, parent_key_id, 1 as height from api_keys where organisation_id = $1 and id = $2
    union all select p.id, p.parent_key_id, line.height + 1 from api_keys p join line on p.organisation_id = $1 and p.id = line.parent_key_id)
  select k.id, k.revoked_at, k.expires_at from line join api_keys k on k.organisation_id = $1 and k.id = line.id
   order by line.height desc for share of k`);
const INSERT = statement(`with k as (
    insert into api_keys (id, organisation_id, name, lookup, secret_hash, scopes, account_id, service_account_id, parent_key_id, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) 
    returning id, organisation_id, name, lookup, scopes, account_id, service_account_id, expires_at, revoked_at, last_used_at, created_at)
  select row_to_json(r)::text as body from (select ${keyColumns("$11")} from k) r`);

/**
 * The person who creates a key.
 * @throws 403 for a service account, which has no person, and during impersonation (access §6.2)
 */
export function requirePerson(principal: Principal | null): string {
  if (!principal?.accountId) throw forbidden();
  requireNoImpersonation(principal);
  return principal.accountId;
}

interface LineKey {
  id: string;
  revoked_at: string | null;
  expires_at: string | null;
}

/** When the caller's own key ends; null for none. @throws 401 if the key was revoked during this request */
async function endOfParent(parentId: string | null): Promise<string | null> {
  if (parentId === null) return null;
  const line = await query<LineKey>(LINE, [request().organisation.id, parentId]);
  const parent = line.find(({ id }) => id === parentId);
  if (!parent || line.some(({ revoked_at }) => revoked_at !== null)) throw unauthorized();
  return parent.expires_at;
}

/**
 * Creates a key after the checks of access §6.2, in their order.
 * @param requireOwner checks that the owner exists, after the catalogue check and before the grants
 * @returns `ApiKeyCreated`, the only answer that contains the key
 * @throws 422 on `expires_at` or `scopes`, 403 `errors.apikey_scope_exceeds_grants`
 */
export async function createKey(
  owner: KeyOwner,
  { name, scopes: asked, expires_at }: AskedKey,
  requireOwner: () => Promise<void> = async () => {},
): Promise<object> {
  const { organisation, principal } = request();
  const { credential, grants, accountId: personId } = principal as Principal;
  const parentId = credential.kind === "key" ? credential.id : null;
  await queryAll([PERSON, [organisation.id, personId]], enter(request(), false));
  const end = expires_at === null || expires_at === undefined ? null : readInstant(expires_at);
  const expiry = expiryOf(end, new Date(), await endOfParent(parentId));
  if ("refused" in expiry) throw invalid({ expires_at: expiry.refused });
  const scopes = [...new Set(asked)];
  if (!areScopes(scopes)) throw invalid({ scopes: "errors.apikey_unknown_scope" });
  await requireOwner();
  if (!coversScopes(grants, scopes)) throw forbidden("errors.apikey_scope_exceeds_grants");

  const { keyPrefix } = runtime().config;
  const { value, lookup, secretHash } = newKeyValue(keyPrefix);
  const [accountId, serviceAccountId] = "accountId" in owner ? [owner.accountId, null] : [null, owner.serviceAccountId];
  const [id, stored] = [newId(), [name, lookup, secretHash, scopes, accountId, serviceAccountId, parentId, expiry.at]];
  const made = await queryOne<{ body: string }>(INSERT, [id, organisation.id, ...stored, keyPrefix]);
  audit("api_key.create", {
    targetAccountId: accountId,
    detail: { id, name, scopes, expires_at: expiry.at, service_account_id: serviceAccountId },
  });
  return { ...JSON.parse(made?.body as string), secret: value };
}
