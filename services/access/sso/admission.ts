import { newId } from "../../../core/database/model.ts";
import { enqueue, query, queryAll, queryOne } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { audit } from "../audit.ts";
import { addRole, organisationRoles } from "../members/memberships.ts";
import { Membership } from "../models.ts";
import type { Identity } from "./claims.ts";
import type { PlainSettings } from "./settings-rules.ts";

/** The admitted account, or the sign-in page's error; `known` is a refused member's account. */
export type Admission = { accountId: string } | { refused: "oidc" | "oidc_no_access"; known: string | null };

interface Candidate {
  id: string;
  full_name: string | null;
  is_active: boolean;
  is_verified: boolean;
  is_member: boolean;
  is_deactivated: boolean;
}

// Locks the account until the sign-in commits: an account disabled meanwhile gets no session.
const CANDIDATE = `select a.id, a.full_name, a.is_active, a.is_verified, m.id is not null as is_member,
    m.deactivated_at is not null as is_deactivated
  from accounts a left join memberships m on m.organisation_id = $1 and m.account_id = a.id`;
const LINKED = statement(`${CANDIDATE} join sso_links l on l.organisation_id = $1 and l.account_id = a.id
  where l.issuer = $2 and l.subject = $3 for no key update of a`);
const BY_EMAIL = statement(`${CANDIDATE} where a.email = $2 for no key update of a`);
const MAKE = statement(`insert into accounts (id, email, full_name, is_verified) values ($1, $2, $3, true)
  on conflict (email) do nothing`);
const LINK = statement("insert into sso_links (organisation_id, account_id, issuer, subject) values ($1, $2, $3, $4)");
const ONCE = statement(`insert into sso_provisionings (organisation_id, account_id) values ($1, $2)
  on conflict on constraint sso_provisionings_once do nothing returning account_id`);
const STRIP = statement("select strip_account($1)");
const PROFILE =
  statement(`update accounts set full_name = coalesce(nullif(full_name, ''), $2), avatar_url = coalesce($3, avatar_url),
    updated_at = statement_timestamp()
  where id = $1 and ((coalesce(full_name, '') = '' and $2::text is not null) or avatar_url is distinct from coalesce($3, avatar_url))`);

const refused = (error: "oidc" | "oidc_no_access", candidate?: Candidate): Admission => ({
  refused: error,
  known: candidate?.is_member ? candidate.id : null,
});

/**
 * Maps a provider's person to an account, and creates link, account and membership if the rules allow (access §9.2). The caller must hold
 * the lock on the organisation's settings: of two concurrent sign-ins of one person, the second finds the first one's rows.
 */
export async function admitted(identity: Identity, settings: PlainSettings): Promise<Admission> {
  const admission = await decided(identity, settings);
  if ("accountId" in admission) enqueue(PROFILE, [admission.accountId, identity.name, identity.picture]);
  return admission;
}

async function decided(identity: Identity, settings: PlainSettings): Promise<Admission> {
  const { issuer, subject, email, emailVerified } = identity;
  const { id: organisation } = request().organisation;
  const linked = await queryOne<Candidate>(LINKED, [organisation, issuer, subject]);
  if (linked) return isIn(linked) ? { accountId: linked.id } : refused("oidc_no_access", linked);
  if (email === null) return refused("oidc");

  const found = await queryOne<Candidate>(BY_EMAIL, [organisation, email]);
  // Otherwise anyone who can write an address into the provider's directory could sign in as its owner here.
  if (found && !emailVerified) return refused("oidc", found);
  if (found?.is_member) {
    if (!isIn(found)) return refused("oidc_no_access", found);
    link(found, identity);
    // Every admission is recorded, however the membership began: signing in again must not undo a removal.
    enqueue(ONCE, [organisation, found.id]);
    return { accountId: found.id };
  }
  return provisioned(found, identity, { ...settings, email });
}

const isIn = ({ is_active, is_member, is_deactivated }: Candidate): boolean => is_active && is_member && !is_deactivated;

/**
 * Links the person to the account. An unverified account may be someone else's registration, so it first loses its credentials (access
 * §4.4).
 */
function link({ id, is_verified }: Candidate, { issuer, subject }: Identity): void {
  if (!is_verified) enqueue(STRIP, [id]);
  enqueue(LINK, [request().organisation.id, id, issuer, subject]);
}

/** Adds a membership for a person who has none and never had one through single sign-on. */
async function provisioned(
  found: Candidate | undefined,
  identity: Identity,
  { auto_provision, default_role, email }: PlainSettings & { email: string },
): Promise<Admission> {
  const { id: organisation } = request().organisation;
  const role = auto_provision
    ? (await organisationRoles()).find(({ key, is_system }) => is_system && key === default_role)
    : undefined;
  if (!role || found?.is_active === false) return refused("oidc_no_access");
  const account = found ?? (await made(email, identity));
  if (!account) return refused("oidc");
  const [first] = await query(ONCE, [organisation, account.id]);
  if (!first) return refused("oidc_no_access");
  link(account, identity);
  // An invitation that commits meanwhile makes the person a member: the callback then runs again and finds the membership.
  request().retryableConstraints.add("memberships_organisation_id_account_id_key");
  const membership = queueInsert(Membership, { account_id: account.id });
  addRole(membership, role.id);
  audit("membership.invited", { role, actorId: account.id, targetAccountId: account.id, detail: { by: "sso" } });
  return { accountId: account.id };
}

/** Creates an account for an address; null if another organisation has just created it and the provider does not vouch for the address. */
async function made(email: string, { name, emailVerified }: Identity): Promise<Candidate | null> {
  const id = newId();
  const [, [candidate] = []] = await queryAll([MAKE, [id, email, name]], [BY_EMAIL, [request().organisation.id, email]]);
  const account = candidate as unknown as Candidate;
  return account.id === id || emailVerified ? account : null;
}
