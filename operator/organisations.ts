import type pg from "pg";
import { settings } from "../core/config/settings.ts";
import { columns } from "../core/database/model.ts";
import { switchable, systemRoles } from "../core/declare/permissions.ts";
import type { Organisation } from "../core/declare/principal.ts";
import { OrganisationModel, organisationOf } from "../core/organisation/organisation.ts";
import { isLine } from "../core/schema/schema.ts";
import { newKeyValue } from "../core/security/api-key.ts";
import { hashPassword } from "../core/security/crypto.ts";

/** The command line rejects a request; the message is one sentence for the operator. */
export class OperatorError extends Error {
  override name = "OperatorError";
}

const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const RESERVED = new Set(
  "app api www mail smtp imap pop admin console edge status cdn ns ns1 ns2 ns3 ftp setup static assets docs help support login auth sso dev test staging".split(
    " ",
  ),
);

const ORGANISATIONS = `select ${columns(OrganisationModel)} from organisations where status <> 'deleted'`;

/** @throws OperatorError if the API would reject the name too */
export function requireLine(name: string | null | undefined): void {
  if (name && !isLine(name)) throw new OperatorError("A name must be one line, without control characters.");
}

/** @throws OperatorError if no organisation can have the slug */
export function requireSlug(slug: string): void {
  if (!SLUG.test(slug)) throw new OperatorError(`'${slug}' is not a slug: 1 to 63 of a-z, 0-9 and -, no dash at either end.`);
  if (RESERVED.has(slug)) throw new OperatorError(`'${slug}' is reserved; choose another slug.`);
}

/** Creates an organisation with its four system roles and every module enabled. */
export async function createOrganisation(
  client: pg.ClientBase,
  { slug, name }: { slug: string; name: string },
): Promise<Organisation> {
  requireSlug(slug);
  requireLine(name);
  const enabled = switchable().map(({ module }) => module);
  const inserted = await client.query(
    `insert into organisations (slug, name, enabled_modules) values ($1, $2, $3) on conflict (slug) do nothing
     returning id, slug, name, status, locale, timezone, currency, country, enabled_modules, access_revision`,
    [slug, name, enabled],
  );
  if (!inserted.rows[0]) throw new OperatorError(`The slug '${slug}' is already in use.`);
  const organisation = organisationOf(inserted.rows[0]);
  for (const { key, name: names, position, grants } of systemRoles())
    await client.query(
      "insert into roles (organisation_id, key, is_system, name_i18n, position, permissions) values ($1, $2, true, $3, $4, $5)",
      [organisation.id, key, JSON.stringify(names), position, grants],
    );
  return organisation;
}

/** Finds an organisation by slug or id. @throws OperatorError if there is none */
export async function findOrganisation(client: pg.ClientBase, slugOrId: string): Promise<Organisation> {
  const { rows } = await client.query(`${ORGANISATIONS} and (slug = $1 or id::text = $1)`, [slugOrId]);
  if (!rows[0]) throw new OperatorError(`There is no organisation '${slugOrId}'.`);
  return organisationOf(rows[0]);
}

/** Lists all organisations except deleted ones, by slug. */
export async function listOrganisations(client: pg.ClientBase): Promise<Organisation[]> {
  const { rows } = await client.query(`${ORGANISATIONS} order by slug`);
  return rows.map(organisationOf);
}

/** The named organisation, or the only one. @throws OperatorError if that is not exactly one */
export async function chooseOrganisation(client: pg.ClientBase, slugOrId?: string): Promise<Organisation> {
  if (slugOrId !== undefined) return findOrganisation(client, slugOrId);
  const all = await listOrganisations(client);
  if (all.length === 1) return all[0] as Organisation;
  if (all.length === 0) throw new OperatorError("No organisation exists yet: create one with `org create`.");
  throw new OperatorError(`There are several organisations: choose one with --org (${all.map(({ slug }) => slug).join(", ")}).`);
}

/**
 * Lets an organisation use the instance's mail transport, or withdraws it; the organisation's own choice stays stored (conventions §19).
 */
export async function lendMail(client: pg.ClientBase, organisationId: string, lent: boolean): Promise<void> {
  await client.query("update organisations set instance_mail = $2, updated_at = now() where id = $1", [organisationId, lent]);
}

/**
 * Links a host name to an organisation as a verified domain; an existing link stays unchanged.
 * @returns the link's id
 * @throws OperatorError if the name is invalid, is below the base domain, or belongs to another organisation
 */
export async function linkDomain(
  client: pg.ClientBase,
  organisationId: string,
  hostname: string,
  baseDomain: string,
): Promise<string> {
  const host = requireOwnDomain(hostname, baseDomain);
  const claimed = await client.query(
    `insert into organisation_domains (organisation_id, hostname, verified_at) values ($1, $2, now())
       on conflict (hostname) where verified_at is not null do nothing returning id`,
    [organisationId, host],
  );
  if (claimed.rows[0]) {
    await client.query("delete from organisation_domains where organisation_id = $1 and hostname = $2 and verified_at is null", [
      organisationId,
      host,
    ]);
    return claimed.rows[0].id;
  }
  const { rows } = await client.query(
    "select id from organisation_domains where organisation_id = $1 and hostname = $2 and verified_at is not null",
    [organisationId, host],
  );
  if (!rows[0]) throw new OperatorError(`'${host}' is linked to another organisation already.`);
  return rows[0].id;
}

/** The host name in lower case. @throws OperatorError if it is invalid, or is below the base domain */
export function requireOwnDomain(hostname: string, baseDomain: string): string {
  const host = hostname.toLowerCase();
  if (!isHostname(host)) throw new OperatorError(`'${hostname}' is not a host name: leave out scheme, port and path.`);
  if (host.endsWith(`.${baseDomain}`)) throw new OperatorError(`'${host}' lies under the base domain, where the slug decides.`);
  return host;
}

function isHostname(host: string): boolean {
  try {
    return settings.baseDomain.read(host) === host;
  } catch {
    return false;
  }
}

export interface NewMember {
  email: string;
  fullName?: string | null;
  password?: string | null;
  role: string;
  superuser?: boolean;
  /** Ids of a new account and the membership; random by default. */
  ids?: { account: string; membership: string };
}

/** Creates a membership with one system role, and an account if the address is new (custom roles are added over the API). */
export async function createMember(
  client: pg.ClientBase,
  organisationId: string,
  member: NewMember,
): Promise<{ accountId: string; membershipId: string }> {
  const email = member.email.trim().toLowerCase();
  requireLine(member.fullName);
  const role = await client.query("select id from roles where organisation_id = $1 and key = $2 and is_system", [
    organisationId,
    member.role,
  ]);
  if (!role.rows[0]) throw new OperatorError(`There is no system role '${member.role}': owner, admin, member or client.`);
  const hash = member.password ? await hashPassword(member.password) : null;
  await client.query(
    `insert into accounts (id, email, full_name, password_hash, is_superuser, is_verified)
     values (coalesce($5, gen_random_uuid()), $1, $2, $3, $4, true) on conflict (email) do nothing`,
    [email, member.fullName ?? null, hash, member.superuser ?? false, member.ids?.account ?? null],
  );
  const account = await client.query("select id from accounts where email = $1", [email]);
  const accountId = account.rows[0].id as string;
  const membership = await client.query(
    `insert into memberships (id, organisation_id, account_id) values (coalesce($3, gen_random_uuid()), $1, $2)
       on conflict (organisation_id, account_id) do nothing returning id`,
    [organisationId, accountId, member.ids?.membership ?? null],
  );
  if (!membership.rows[0]) throw new OperatorError(`${email} is a member already.`);
  const membershipId = membership.rows[0].id as string;
  await client.query("insert into membership_roles (organisation_id, membership_id, role_id) values ($1, $2, $3)", [
    organisationId,
    membershipId,
    role.rows[0].id,
  ]);
  return { accountId, membershipId };
}

export interface NewKey {
  name: string;
  scopes: string[];
  accountId?: string;
  serviceAccountId?: string;
  expiresAt?: string | null;
}

/** Creates an API key; only this result contains its value. */
export async function createKey(
  client: pg.ClientBase,
  organisationId: string,
  prefix: string,
  key: NewKey,
): Promise<{ id: string; value: string }> {
  requireLine(key.name);
  const { value, lookup, secretHash } = newKeyValue(prefix);
  const { rows } = await client.query(
    `insert into api_keys (organisation_id, name, lookup, secret_hash, scopes, account_id, service_account_id, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
    [
      organisationId,
      key.name,
      lookup,
      secretHash,
      key.scopes,
      key.accountId ?? null,
      key.serviceAccountId ?? null,
      key.expiresAt ?? null,
    ],
  );
  return { id: rows[0].id, value };
}
