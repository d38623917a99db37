import type pg from "pg";
import { isStoredForm, narrowed, permissions, WILDCARD } from "../core/declare/permissions.ts";
import { LONGEST_LIFE, REVOKE_LINE } from "../core/security/api-key.ts";
import { requireAccount } from "./accounts.ts";
import { audit } from "./audit.ts";
import { createKey, OperatorError, requireLine } from "./organisations.ts";

/** The owner of a key: a member by e-mail, or a service account by name, created if missing. */
export type KeyOwner = { user: string } | { serviceAccount: string };

export interface IssuedKey {
  id: string;
  value: string;
  name: string;
  scopes: string[];
  expiresAt: string | null;
  principal: { type: "user" | "service_account"; id: string };
}

/** Every permission with its broadest scope. */
const everything = () => permissions().map(({ key, scopes }) => (scopes.length === 0 ? key : `${key}:any`));

/** A member's current permissions, the union of all roles; the owner's wildcard means everything a key can carry. */
async function grantsOf(client: pg.ClientBase, organisationId: string, accountId: string): Promise<string[]> {
  const { rows } = await client.query<{ live: boolean; grants: string[] }>(
    "select m.is_live as live, m.grants from member_access m where m.organisation_id = $1 and m.account_id = $2",
    [organisationId, accountId],
  );
  if (!rows[0]?.live) throw new OperatorError("That person is not an active member of this organisation.");
  return [...new Set(rows[0].grants)];
}

/** The id of the service account with this name; creates one if there is none. */
async function serviceAccount(client: pg.ClientBase, organisationId: string, name: string): Promise<string> {
  if (name.length < 1 || [...name].length > 120)
    throw new OperatorError("A service account's name must have 1 to 120 characters.");
  requireLine(name);
  const { rows } = await client.query("select id from service_accounts where organisation_id = $1 and name = $2 and is_active", [
    organisationId,
    name,
  ]);
  if (rows.length > 1) throw new OperatorError(`There are ${rows.length} service accounts '${name}': rename one over the API.`);
  if (rows[0]) return rows[0].id;
  const made = await client.query("insert into service_accounts (organisation_id, name) values ($1, $2) returning id", [
    organisationId,
    name,
  ]);
  await audit(client, organisationId, { action: "service_account.create", detail: { id: made.rows[0].id, name } });
  return made.rows[0].id;
}

/** Resolves requested scopes: catalogue permissions in stored form, or everything the principal can hold. */
function readScopes(asked: readonly string[], held: readonly string[] | null): string[] {
  const all = asked.length === 1 && asked[0] === "all";
  if (all) return held === null || held.includes(WILDCARD) ? everything() : held.toSorted();
  const scopes = [...new Set(asked)];
  const unknown = scopes.filter((scope) => !isStoredForm(scope));
  if (unknown.length > 0)
    throw new OperatorError(
      `No such scope: ${unknown.join(", ")}. Scopes are catalogue permissions, scoped ones with :own or :any, or 'all'.`,
    );
  if (scopes.length === 0) throw new OperatorError("A key needs at least one scope.");
  const usable = held === null ? scopes : narrowed(scopes, held);
  const beyond = scopes.filter((scope) => !usable.includes(scope));
  if (beyond.length > 0) throw new OperatorError(`That person does not hold ${beyond.join(", ")}, so the key could not use it.`);
  return scopes;
}

/**
 * Issues an API key by the rules of access §6.2; the operator counts as a caller with every permission.
 * @param expiresAt instant, or null for a key that never expires
 * @throws OperatorError for an unknown owner or scope, a scope the person does not hold, or an expiry in the past or too far ahead
 */
export async function issueKey(
  client: pg.ClientBase,
  organisationId: string,
  prefix: string,
  key: { owner: KeyOwner; name: string; scopes: readonly string[]; expiresAt: string | null },
): Promise<IssuedKey> {
  const { owner, name, expiresAt } = key;
  if (name.length < 1 || [...name].length > 120) throw new OperatorError("A key's name must have 1 to 120 characters.");
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) throw new OperatorError("--expires lies in the past.");
  if (expiresAt !== null && Date.parse(expiresAt) > Date.now() + LONGEST_LIFE)
    throw new OperatorError("--expires lies more than a year ahead; leave it out for a key that never expires.");
  const isUser = "user" in owner;
  const accountId = isUser ? (await requireAccount(client, owner.user)).id : null;
  const held = accountId === null ? null : await grantsOf(client, organisationId, accountId);
  const scopes = readScopes(key.scopes, held);
  if (scopes.length === 0) throw new OperatorError("That person has no permissions, so a key would have none.");
  const ownerId = isUser ? (accountId as string) : await serviceAccount(client, organisationId, owner.serviceAccount);
  const place = isUser ? { accountId: ownerId } : { serviceAccountId: ownerId };
  const made = await createKey(client, organisationId, prefix, { name, scopes, expiresAt, ...place });
  await audit(client, organisationId, {
    action: "api_key.create",
    targetAccountId: accountId,
    detail: { id: made.id, name, scopes, expires_at: expiresAt },
  });
  return { ...made, name, scopes, expiresAt, principal: { type: isUser ? "user" : "service_account", id: ownerId } };
}

/**
 * Revokes a key and the keys it created (access §6.4). Revoking again keeps the first revocation time.
 * @param given the key's id, its value, or its visible prefix
 * @returns ids of the keys this call revoked
 */
export async function revokeKey(
  client: pg.ClientBase,
  organisationId: string,
  given: string,
): Promise<{ id: string; revoked: string[] }> {
  const lookup = given.split("_").find((part) => /^[0-9a-f]{12}$/.test(part)) ?? "";
  const { rows } = await client.query(
    "select id from api_keys where organisation_id = $1 and (id::text = lower($2) or lookup = $3) for update",
    [organisationId, given, lookup],
  );
  if (!rows[0]) throw new OperatorError("There is no such key in this organisation.");
  const id = rows[0].id as string;
  const revoked = await client.query(`${REVOKE_LINE} select id, name, account_id from revoked`, [organisationId, id]);
  for (const key of revoked.rows)
    await audit(client, organisationId, {
      action: "api_key.revoke",
      targetAccountId: key.account_id,
      detail: { id: key.id, name: key.name },
    });
  return { id, revoked: revoked.rows.map((key) => key.id) };
}
