import type pg from "pg";
import type { Capability, InstanceCaller } from "../../core/declare/instance.ts";
import { LONGEST_LIFE, newKeyValue } from "../../core/security/api-key.ts";
import { OperatorError } from "../organisations.ts";

/** A key of an instance administrator, without its secret. */
export interface InstanceKey {
  id: string;
  administrator_id: string;
  name: string;
  /** The public part of its value. */
  lookup: string;
  capabilities: Capability[];
  organisations: string[] | null;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  created_at: string;
}

const COLUMNS =
  "id, administrator_id, name, lookup, capabilities, organisations, expires_at, revoked_at, last_used_at, created_at";

/** Keys by name: the administrator's own, or with null those of all. */
export async function listInstanceKeys(client: pg.ClientBase, administratorId: string | null): Promise<InstanceKey[]> {
  const { rows } = await client.query<InstanceKey>(
    `select ${COLUMNS} from instance_keys where $1::uuid is null or administrator_id = $1 order by name, id`,
    [administratorId],
  );
  return rows;
}

/**
 * Issues a key of an administrator; only this result contains its value. It never allows more than its owner has at the time of a call.
 * @throws OperatorError for an organisation that does not exist, or an expiry in the past or more than a year ahead
 */
export async function issueInstanceKey(
  client: pg.ClientBase,
  { administrator }: Pick<InstanceCaller, "administrator">,
  prefix: string,
  key: { name: string; capabilities: readonly Capability[]; organisations: readonly string[] | null; expiresAt: string | null },
): Promise<{ key: InstanceKey; value: string }> {
  const { name, capabilities, organisations, expiresAt } = key;
  const at = expiresAt === null ? null : Date.parse(expiresAt);
  if (at !== null && at <= Date.now()) throw new OperatorError("The expiry lies in the past.");
  if (at !== null && at > Date.now() + LONGEST_LIFE)
    throw new OperatorError("The expiry lies more than a year ahead; leave it out for a key that never expires.");
  if (organisations !== null) {
    const { rows } = await client.query<{ id: string }>(
      "select id from organisations where id = any($1) and status <> 'deleted'",
      [organisations],
    );
    if (rows.length < new Set(organisations).size) throw new OperatorError("One of the organisations does not exist.");
  }
  const { value, lookup, secretHash } = newKeyValue(prefix);
  const { rows } = await client.query<InstanceKey>(
    `insert into instance_keys (administrator_id, name, lookup, secret_hash, capabilities, organisations, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
    [administrator.id, name, lookup, secretHash, capabilities, organisations, expiresAt],
  );
  return { key: rows[0] as InstanceKey, value };
}

/** Revokes a key from the next call on; undefined if there is none. @param administratorId the only owner whose keys count; null for all */
export async function revokeInstanceKey(
  client: pg.ClientBase,
  id: string,
  administratorId: string | null,
): Promise<InstanceKey | undefined> {
  const { rows } = await client.query<InstanceKey>(
    `update instance_keys set revoked_at = coalesce(revoked_at, now())
      where id = $1 and ($2::uuid is null or administrator_id = $2) returning ${COLUMNS}`,
    [id, administratorId],
  );
  return rows[0];
}
