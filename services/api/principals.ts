import { LRUCache } from "lru-cache";
import { queryUnbound, StaleAccess } from "../../core/database/connection/database.ts";
import { columns } from "../../core/database/model.ts";
import { queryAll, queryOne } from "../../core/database/query.ts";
import { narrowed } from "../../core/declare/permissions.ts";
import type { Organisation, Principal } from "../../core/declare/principal.ts";
import { forbidden, refusal, unauthorized } from "../../core/errors/errors.ts";
import { licenceOf } from "../../core/organisation/licence-state.ts";
import { OrganisationModel, type OrganisationRow, organisationOf } from "../../core/organisation/organisation.ts";
import { runRequest } from "../../core/request/context.ts";
import { OPERATOR, OPERATOR_SESSION, operatorGrants } from "../../core/request/operator.ts";
import { systemRequest } from "../../core/request/system.ts";
import { digest, digestText, sameDigest } from "../../core/security/crypto.ts";
import { type Bound, type Row, statement } from "../../core/sql/statement.ts";
import type { Credential } from "./http/credentials.ts";
import { impersonated } from "./impersonated.ts";

const RESOLVE_HOST = statement(`select ${columns(OrganisationModel)} from resolve_host($1, $2)`);

/** Columns of the person, the licence and the revision, read in the credential's own snapshot. */
const PERSON = `
  o.access_revision, o.plan, o.plan_ends_at, (select installed_at from installation) as installed_at,
  (select coalesce(json_agg(json_build_object('module', l.module, 'expiresAt', l.expires_at, 'graceDays', l.grace_days)), '[]')
     from product_licences l) as licences,
  a.id as account_id, coalesce(nullif(a.full_name, ''), a.email) as account_name, a.is_active, a.is_superuser,
  m.membership_id, m.is_live, m.grants, m.is_client, m.selection`;
const JOINS = (account: string) => `
  join organisations o on o.id = c.organisation_id
  left join accounts a on a.id = ${account}
  left join member_access m on m.organisation_id = c.organisation_id and m.account_id = a.id`;

const BY_KEY =
  statement(`select c.id, c.secret_hash, c.scopes, c.expires_at, c.revoked_at, c.oauth_resource, c.service_account_id,
    s.name as service_account_name, s.is_active as service_account_active, ${PERSON}
  from api_keys c ${JOINS("c.account_id")}
  left join service_accounts s on s.organisation_id = c.organisation_id and s.id = c.service_account_id
  where c.organisation_id = $1 and c.lookup = $2`);
const BY_SESSION = statement(`select c.id, c.method, c.last_used_at, c.expires_at, c.ended_at, ${PERSON}
  from sessions c ${JOINS("c.account_id")}
  where c.organisation_id = $1 and c.token_hash = $2`);

/** An operator with service access: a session of the grant itself, with the administrator role's current permissions. */
const BY_OPERATOR = statement(`select c.id, c.expires_at, c.revoked_at, o.access_revision, o.plan, o.plan_ends_at,
    (select installed_at from installation) as installed_at,
    (select coalesce(json_agg(json_build_object('module', l.module, 'expiresAt', l.expires_at, 'graceDays', l.grace_days)), '[]')
       from product_licences l) as licences,
    coalesce((select r.permissions from roles r where r.organisation_id = c.organisation_id and r.is_system and r.key = 'admin'), '{}') as grants
  from service_access_grants c join organisations o on o.id = c.organisation_id
  where c.organisation_id = $1 and c.session_hash = $2`);
/** The client login an impersonation grant opens, and whether its contact still has it. */
const BY_GRANT =
  statement(`select c.id, c.session_id, c.expires_at, c.ended_at, coalesce(m.contact_id = c.contact_id, false) as is_attached, ${PERSON}
  from impersonations c ${JOINS("c.target_account_id")}
  where c.organisation_id = $1 and c.token_hash = $2`);

/** A principal with its validity bounds: access revision and expiry. */
export interface CachedPrincipal {
  principal: Principal;
  revision: string;
  /** Milliseconds since the epoch, or null for a key that never expires. */
  expiresAt: number | null;
  lastUsedAt: number;
  /** A session made by single sign-on: it proves the person to this organisation only (access §1.1). */
  isSso?: true;
}

/** Who calls, for the log: the id of the account, which impersonates a client login or not, service account or operator's grant. */
export function callerIn(known: CachedPrincipal | null): string | null {
  if (!known) return null;
  const { impersonation, accountId, serviceAccountId, credential } = known.principal;
  return impersonation?.accountId ?? accountId ?? serviceAccountId ?? credential.id;
}

/**
 * Caches organisations by host and principals by credential. Each request must prove them current: every use is tied to the access revision
 * both were read at (see `enter` of the database). Refusals are never cached.
 */
export class Principals {
  readonly #organisations = new LRUCache<string, Organisation>({ max: 10_000 });
  readonly #known = new LRUCache<string, CachedPrincipal>({ max: 20_000 });

  /** Drops the cache entries a stale request relied on. */
  forget(host: string, organisation: Organisation, credential: Credential | null): void {
    this.#organisations.delete(host);
    if (credential) this.#known.delete(placeOf(organisation, credential));
  }

  /**
   * Confirms that an organisation is current, for a refusal that ran no SQL statement itself.
   * @throws StaleAccess when access has changed
   */
  async confirm(organisation: Organisation): Promise<void> {
    await runRequest(systemRequest("api.confirm", organisation, "read", true), () => queryAll());
  }

  /**
   * Resolves the organisation and principal of a request, both at one access revision.
   * @param presentsKey whether the request carries a key, even if the endpoint needs none
   * @param whileSuspended whether the endpoint also serves a suspended organisation
   * @throws 404 `unknown_host` (401 for a key), 403 `org_suspended`, the credential's 401 and 403
   */
  async resolve(
    host: string,
    slug: string | null,
    credential: Credential | null,
    presentsKey: boolean,
    whileSuspended = false,
  ): Promise<{ organisation: Organisation; known: CachedPrincipal | null }> {
    for (;;) {
      const organisation = await this.#organisation(host, slug, presentsKey);
      if (organisation.status === "suspended" && !whileSuspended) throw refusal("org_suspended");
      if (!credential) return { organisation, known: null };
      try {
        const known = await this.#principal(organisation, credential);
        if (known.revision === organisation.revision) return { organisation, known };
      } catch (error) {
        if (!(error instanceof StaleAccess)) throw error;
      }
      this.#organisations.delete(host);
    }
  }

  async #organisation(host: string, slug: string | null, presentsKey: boolean): Promise<Organisation> {
    let organisation = this.#organisations.get(host);
    if (!organisation) {
      const [row] = await queryUnbound<OrganisationRow>(RESOLVE_HOST, [host, slug]);
      if (!row) throw presentsKey ? unauthorized() : refusal("unknown_host", "errors.unknown_host");
      organisation = organisationOf(row);
      // A suspension leads to a refusal, so it is not cached.
      if (organisation.status === "active") this.#organisations.set(host, organisation);
    }
    return organisation;
  }

  async #principal(organisation: Organisation, credential: Credential): Promise<CachedPrincipal> {
    const place = placeOf(organisation, credential);
    const cached = this.#known.get(place);
    const live = cached && (cached.expiresAt === null || cached.expiresAt > Date.now());
    if (cached && live && cached.revision === organisation.revision) return cached;
    const known = await runRequest(systemRequest("api.principal", organisation, "read", true), () =>
      credential.kind === "key"
        ? this.#byKey(organisation, credential)
        : credential.value.startsWith(OPERATOR_SESSION)
          ? this.#byServiceAccess(organisation, digest(credential.value))
          : this.#bySession(organisation, credential),
    );
    this.#known.set(place, known);
    return known;
  }

  async #byKey(organisation: Organisation, { lookup, secret }: Extract<Credential, { kind: "key" }>): Promise<CachedPrincipal> {
    const row = await queryOne(BY_KEY, [organisation.id, lookup]);
    const stored = (row?.["secret_hash"] as Buffer | undefined) ?? Buffer.alloc(32);
    const fits = sameDigest(stored, digest(secret));
    const expiresAt = row?.["expires_at"] ? Date.parse(row["expires_at"] as string) : null;
    if (!row || !fits || row["revoked_at"] !== null || (expiresAt !== null && expiresAt <= Date.now())) throw unauthorized();
    const isService = row["service_account_id"] !== null;
    if (isService ? row["service_account_active"] !== true : !isLive(row)) throw unauthorized();
    const scopes = row["scopes"] as string[];
    const resource = row["oauth_resource"] as string | null;
    const principal = this.#principalOf(row, { kind: "key", id: row["id"] as string, ...(resource !== null && { resource }) });
    if (isService)
      Object.assign(principal, {
        kind: "service_account",
        serviceAccountId: row["service_account_id"],
        name: row["service_account_name"],
        grants: scopes,
        selection: null,
        isClientLogin: false,
      });
    else principal.grants = narrowed(scopes, principal.grants);
    return { principal, revision: row["access_revision"] as string, expiresAt, lastUsedAt: Date.now() };
  }

  async #bySession({ id }: Organisation, { value, grant }: Extract<Credential, { kind: "session" }>): Promise<CachedPrincipal> {
    const session: Bound = [BY_SESSION, [id, digest(value)]];
    const [[person] = [], [looked] = []] = await queryAll(
      ...(grant ? [session, [BY_GRANT, [id, digest(grant)]] as Bound] : [session]),
    );
    const known = this.#knownOf(person);
    return looked ? this.#lookingIn(known, looked) : known;
  }

  /** The session of an impersonating person; their own session if the grant is not or no longer valid (access §11.3). */
  #lookingIn(known: CachedPrincipal, row: Row): CachedPrincipal {
    const expiresAt = Date.parse(row["expires_at"] as string);
    const isRunning = row["ended_at"] === null && expiresAt > Date.now() && row["is_attached"] === true && isLive(row);
    if (!isRunning || row["session_id"] !== known.principal.credential.id) return known;
    if (row["access_revision"] !== known.revision) throw new StaleAccess();
    const target = this.#principalOf(row, known.principal.credential);
    const grant = { id: row["id"] as string, expiresAt: new Date(expiresAt).toISOString() };
    return {
      ...known,
      principal: impersonated(target, known.principal, grant),
      expiresAt: Math.min(expiresAt, known.expiresAt ?? expiresAt),
    };
  }

  #knownOf(row: Row | undefined): CachedPrincipal {
    const expiresAt = row ? Date.parse(row["expires_at"] as string) : 0;
    if (!row || row["ended_at"] !== null || expiresAt <= Date.now() || row["is_active"] !== true) throw unauthorized();
    if (row["is_live"] !== true) throw forbidden();
    const principal = this.#principalOf(row, { kind: "session", id: row["id"] as string });
    return {
      principal,
      revision: row["access_revision"] as string,
      expiresAt,
      lastUsedAt: Date.parse(row["last_used_at"] as string),
      ...(row["method"] === "sso" && { isSso: true }),
    };
  }

  /** @throws 401 for an unknown session, 403 `service_pin_required` once service access has ended */
  async #byServiceAccess(organisation: Organisation, hash: Buffer): Promise<CachedPrincipal> {
    const row = await queryOne(BY_OPERATOR, [organisation.id, hash]);
    if (!row) throw unauthorized();
    const expiresAt = Date.parse(row["expires_at"] as string);
    if (row["revoked_at"] !== null || expiresAt <= Date.now()) throw refusal("service_pin_required");
    const principal: Principal = {
      kind: "operator",
      accountId: null,
      serviceAccountId: null,
      membershipId: null,
      name: OPERATOR,
      credential: { kind: "session", id: row["id"] as string },
      grants: operatorGrants(row["grants"] as string[]),
      selection: null,
      isClientLogin: false,
      isSuperuser: false,
      licence: licenceOf(row),
    };
    // Use does not extend it: it ends with the grant.
    return { principal, revision: row["access_revision"] as string, expiresAt, lastUsedAt: Number.POSITIVE_INFINITY };
  }

  #principalOf(row: Row, credential: Principal["credential"]): Principal {
    return {
      kind: "user",
      accountId: row["account_id"] as string | null,
      serviceAccountId: null,
      membershipId: row["membership_id"] as string | null,
      name: row["account_name"] as string | null,
      credential,
      grants: [...new Set(row["grants"] as string[] | null)],
      selection: row["selection"] as string[] | null,
      // The owner's wildcard is never restricted, also where the owner is attached to a contact (conventions §5).
      isClientLogin: row["is_client"] === true && row["selection"] !== null,
      isSuperuser: row["is_superuser"] === true,
      licence: licenceOf(row),
    };
  }
}

/** Revisions count per organisation, so the cache key contains the organisation. */
function placeOf({ id }: Organisation, credential: Credential): string {
  const grant = credential.kind === "session" ? credential.grant : null;
  const secrets = [credential.value, ...(grant === null ? [] : [grant])];
  return [id, ...secrets.map((secret) => digestText(secret))].join(" ");
}

const isLive = (row: Row): boolean => row["is_live"] === true;
