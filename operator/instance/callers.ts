import type pg from "pg";
import { CAPABILITIES, type Capability, type InstanceCaller, type InstanceCredential } from "../../core/declare/instance.ts";
import { sameDigest } from "../../core/security/crypto.ts";

const BY_SESSION = `select s.id as credential, a.id, a.email, a.full_name, a.capabilities
  from instance_sessions s join instance_administrators a on a.id = s.administrator_id and a.is_active
  where s.token_hash = decode($1, 'hex') and s.expires_at > now()`;
/** Notes the use at most once a minute. */
const BY_KEY = `with used as (update instance_keys set last_used_at = now()
    where lookup = $1 and secret_hash = decode($2, 'hex') and (last_used_at is null or last_used_at < now() - interval '1 minute'))
  select k.id as credential, k.secret_hash, k.capabilities as allowed, k.organisations, a.id, a.email, a.full_name, a.capabilities
  from instance_keys k join instance_administrators a on a.id = k.administrator_id and a.is_active
  where k.lookup = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`;

interface Found {
  credential: string;
  id: string;
  email: string;
  full_name: string | null;
  capabilities: string[];
  secret_hash?: Buffer;
  allowed?: string[];
  organisations?: string[] | null;
}

/** The known capabilities among stored names: a later version may have stored others. */
const known = (names: readonly string[]): Capability[] => CAPABILITIES.filter((one) => names.includes(one));

/** The administrator of a credential, with what both the credential and the administrator have now; null for any that is not valid. */
export async function callerOf(client: pg.ClientBase, credential: InstanceCredential | null): Promise<InstanceCaller | null> {
  if (credential === null) return null;
  const { rows } =
    credential.kind === "session"
      ? await client.query<Found>(BY_SESSION, [credential.digest])
      : await client.query<Found>(BY_KEY, [credential.lookup, credential.digest]);
  const [found] = rows;
  if (!found) return null;
  if (credential.kind === "key" && !sameDigest(found.secret_hash as Buffer, Buffer.from(credential.digest, "hex"))) return null;
  const { allowed } = found;
  const capabilities = known(found.capabilities);
  return {
    administrator: { id: found.id, email: found.email, fullName: found.full_name },
    capabilities: allowed === undefined ? capabilities : capabilities.filter((one) => allowed.includes(one)),
    organisations: found.organisations ?? null,
    credential: { kind: credential.kind, id: found.credential },
  };
}
