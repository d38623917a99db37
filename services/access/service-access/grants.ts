import { newId } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { OPERATOR, OPERATOR_SESSION } from "../../../core/request/operator.ts";
import { digest, randomHex } from "../../../core/security/crypto.ts";
import { statement } from "../../../core/sql/statement.ts";
import { audit } from "../audit.ts";

const WRITE = statement(`insert into operator_audit (action, organisation, slug, actor, detail)
  values ($1, $2, $3, coalesce((select email from accounts where id = $4), $5), $6)`);

/**
 * Records a step of service access in the operator's trail, which outlives the organisation, in the running transaction.
 * @param name the actor, if it is not the request's principal
 */
function operatorTrail(action: string, detail: Record<string, unknown>, name?: string): void {
  const { organisation, principal } = request();
  const actor = [name === undefined ? (principal?.accountId ?? null) : null, name ?? principal?.name ?? "system"];
  enqueue(WRITE, [action, organisation.id, organisation.slug, ...actor, JSON.stringify(detail)]);
}

/** Hours a PIN gives access to the organisation's data, from its issue (access §10). */
export const PIN_HOURS = 24;

const LATEST = statement(`select g.id, g.created_at, g.expires_at, g.created_by_email, g.claimed_at is not null as claimed,
    g.revoked_at is null and g.expires_at > now() as active
  from service_access_grants g where g.organisation_id = $1 order by g.created_at desc, g.id desc limit 1`);
const REVOKE =
  statement(`update service_access_grants set revoked_at = now(), version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and revoked_at is null returning id, expires_at > now() as was_live`);
const ISSUE =
  statement(`insert into service_access_grants (id, organisation_id, created_by_account_id, created_by_email, pin_hash, expires_at)
  values ($1, $2, $3, (select email from accounts where id = $3), $4, now() + make_interval(hours => $5))`);
const OPEN = statement(`update service_access_grants
    set link_used_at = now(), session_hash = $3, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and link_hash = $2 and link_used_at is null and link_expires_at > now() and revoked_at is null
    and expires_at > now()
  returning id, ceil(extract(epoch from expires_at - now()))::int as seconds`);

interface Latest {
  id: string;
  created_at: string;
  expires_at: string;
  created_by_email: string | null;
  claimed: boolean;
  active: boolean;
}

const organisationId = () => request().organisation.id;

/** The state of service access: that of the latest PIN. */
export async function status() {
  const latest = await queryOne<Latest>(LATEST, [organisationId()]);
  return {
    active: latest?.active ?? false,
    claimed: latest?.claimed ?? false,
    created_at: latest?.created_at ?? null,
    expires_at: latest?.expires_at ?? null,
    created_by_email: latest?.created_by_email ?? null,
    pin_hours: PIN_HOURS,
  };
}

/** Ends live service access, including a claimed operator's session; does nothing if there is none. */
export async function revoke(): Promise<void> {
  const ended = await query<{ id: string; was_live: boolean }>(REVOKE, [organisationId()]);
  for (const { id } of ended.filter(({ was_live }) => was_live)) {
    audit("service_access.revoke", { detail: { grant: id } });
    operatorTrail("service_access.revoke", { grant: id });
  }
}

/** Stores a new PIN's hash and ends an earlier one. Of two concurrent issues, the later one lasts. */
export async function issue(pinHash: string): Promise<void> {
  request().retryableConstraints.add("service_access_grants_live");
  await revoke();
  const id = newId();
  await query(ISSUE, [id, organisationId(), request().principal?.accountId ?? null, pinHash, PIN_HOURS]);
  audit("service_access.issue", { detail: { grant: id } });
  operatorTrail("service_access.issue", { grant: id });
}

/**
 * Spends a sign-in link.
 * @returns the session cookie and its lifetime in seconds; null for a link that is unknown, used or expired, or whose grant has ended
 */
export async function openLink(token: string): Promise<{ cookie: string; seconds: number } | null> {
  const cookie = `${OPERATOR_SESSION}${randomHex(32)}`;
  const opened = await queryOne<{ id: string; seconds: number }>(OPEN, [organisationId(), digest(token), digest(cookie)]);
  if (!opened) return null;
  audit("sign_in.success", { actorName: OPERATOR, detail: { method: "service_access", grant: opened.id } });
  operatorTrail("service_access.sign_in", { grant: opened.id }, OPERATOR);
  return { cookie, seconds: opened.seconds };
}
