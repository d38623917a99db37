import { digest, randomHex } from "./crypto.ts";

/** Longest lifetime of a key in milliseconds: one year, including a leap day (access §6.2). */
export const LONGEST_LIFE = 366 * 86_400_000;

/** The parts of a new key: `value` is shown once, the rest is stored. */
export interface NewKeyValue {
  value: string;
  lookup: string;
  secretHash: Buffer;
}

/** Generates a key in the form of access §6.1: `<prefix>_`, 12 hex digits for lookup, `_`, 64 hex digits, stored only as SHA-256. */
export function newKeyValue(prefix: string): NewKeyValue {
  const [lookup, secret] = [randomHex(6), randomHex(32)];
  return { value: `${prefix}_${lookup}_${secret}`, lookup, secretHash: digest(secret) };
}

/**
 * SQL of `revoked`: revokes key `$2` of organisation `$1` and all its live descendants. Run it as a separate statement after locking the
 * key, so that it sees the commit of a parallel creation.
 */
export const REVOKE_LINE = `with recursive line as (
    select id from api_keys where organisation_id = $1 and id = $2
    union select k.id from api_keys k join line on k.organisation_id = $1 and k.parent_key_id = line.id),
  revoked as (update api_keys set revoked_at = now(), updated_at = now()
    where organisation_id = $1 and id in (select id from line) and revoked_at is null returning id, name, account_id)`;
