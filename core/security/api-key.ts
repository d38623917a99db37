import { digest, randomHex } from "./crypto.ts";

/** Longest life of a key in milliseconds: one year, a leap day tolerated (access §6.2). */
export const LONGEST_LIFE = 366 * 86_400_000;

/** The parts of a new key: `value` is shown once, the rest is stored. */
export interface NewKeyValue {
  value: string;
  lookup: string;
  secretHash: Buffer;
}

/** Makes a key in the form of access §6.1: `<prefix>_` + 12 hex to look it up + `_` + 64 hex, of which only the SHA-256 is kept. */
export function newKeyValue(prefix: string): NewKeyValue {
  const [lookup, secret] = [randomHex(6), randomHex(32)];
  return { value: `${prefix}_${lookup}_${secret}`, lookup, secretHash: digest(secret) };
}

/**
 * SQL of `revoked`: the key `$2` of organisation `$1` and every key down its line, as far as they were alive until now. A statement of its
 * own after the key was locked, so that it sees what a parallel creation has committed.
 */
export const REVOKE_LINE = `with recursive line as (
    select id from api_keys where organisation_id = $1 and id = $2
    union select k.id from api_keys k join line on k.organisation_id = $1 and k.parent_key_id = line.id),
  revoked as (update api_keys set revoked_at = now(), updated_at = now()
    where organisation_id = $1 and id in (select id from line) and revoked_at is null returning id, name, account_id)`;
