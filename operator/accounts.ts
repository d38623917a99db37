import type pg from "pg";
import { columns } from "../core/database/model.ts";
import { OrganisationModel, organisationOf } from "../core/organisation/organisation.ts";
import { systemRequest } from "../core/request/system.ts";
import { isEmail } from "../core/schema/schema.ts";
import { hashPassword } from "../core/security/crypto.ts";
import { passwordProblem } from "../core/security/password-rule.ts";
import { inTenancy } from "../mixins/tenancy.ts";
import { mailPasswordChange } from "../services/access/accounts/account-news.ts";
import { audit } from "./audit.ts";
import { createMember, OperatorError } from "./organisations.ts";

interface Account {
  id: string;
  email: string;
  is_verified: boolean;
}

/** @throws OperatorError if the password breaks the rule of access §1.3 */
function requirePassword(password: string, email: string): void {
  const problem = passwordProblem(password, email);
  if (problem === "errors.password_is_email") throw new OperatorError("A password must not be the e-mail address.");
  if (problem !== null) throw new OperatorError("A password must have 8 to 128 characters.");
}

function readEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (!isEmail(email)) throw new OperatorError(`'${text}' is not an e-mail address.`);
  return email;
}

async function findAccount(client: pg.ClientBase, text: string): Promise<Account | undefined> {
  const { rows } = await client.query<Account>("select id, email, is_verified from accounts where email = $1 for update", [
    readEmail(text),
  ]);
  return rows[0];
}

/** Returns the account with this address. @throws OperatorError if there is none */
export async function requireAccount(client: pg.ClientBase, email: string): Promise<Account> {
  const account = await findAccount(client, email);
  if (!account) throw new OperatorError(`There is no account '${email}'.`);
  return account;
}

/** Sets an account's password and ends all its sessions and half-finished sign-ins, in every organisation (access §1.1). */
export async function setPassword(client: pg.ClientBase, email: string, password: string): Promise<{ accountId: string }> {
  const account = await requireAccount(client, email);
  requirePassword(password, account.email);
  await client.query("update accounts set password_hash = $2, updated_at = now() where id = $1", [
    account.id,
    await hashPassword(password),
  ]);
  await client.query("select end_sessions($1, null)", [account.id]);
  return { accountId: account.id };
}

/**
 * Mails an account's owner that the operator changed its password, on behalf of the organisation the account joined first. Sends nothing if
 * the account is active in no organisation. Call it after the change has committed: it needs the application role's pool and waits for
 * locks of the owner's connection.
 */
export async function mailNewPassword(client: pg.ClientBase, accountId: string): Promise<void> {
  const { rows } = await client.query(
    `select ${columns(OrganisationModel, "o")} from memberships m join organisations o on o.id = m.organisation_id and o.status = 'active'
      where m.account_id = $1 and m.deactivated_at is null order by m.created_at, o.id limit 1`,
    [accountId],
  );
  const [home] = rows.map(organisationOf);
  if (!home) return;
  await inTenancy(
    () => systemRequest("user.password", home, "write"),
    () => mailPasswordChange(accountId),
  );
}

export interface NewUser {
  email: string;
  fullName: string | null;
  role: string;
  superuser: boolean;
  /** The password the operator chose, if any. */
  chosen: string | undefined;
  /** Generates the password if the operator chose none. */
  generate: () => string;
}

export interface CreatedUser {
  accountId: string;
  membershipId: string;
  email: string;
  /** The generated password, to be shown once; null if the operator chose one or a verified account keeps its own. */
  password: string | null;
  existing: boolean;
}

/**
 * Creates a member of the organisation. An existing account keeps its password, unless its address was never verified: a stranger may
 * have registered it, so it first loses its password, second factor, keys and sessions (access §4.4).
 * @throws OperatorError for an invalid address, password or role, or if the person is already a member
 */
export async function createUser(
  client: pg.ClientBase,
  organisationId: string,
  { email: given, fullName, role, superuser, chosen, generate }: NewUser,
): Promise<CreatedUser> {
  const email = readEmail(given);
  const known = await findAccount(client, email);
  if (known?.is_verified && chosen !== undefined)
    throw new OperatorError(`${email} has an account with a password already: change it with \`user password\`.`);
  const password = known?.is_verified ? null : (chosen ?? generate());
  if (password !== null) requirePassword(password, email);
  if (known && !known.is_verified) {
    await client.query("select strip_account($1)", [known.id]);
    await setPassword(client, email, password as string);
    await client.query("update accounts set is_verified = true where id = $1", [known.id]);
  }
  const made = await createMember(client, organisationId, { email, fullName, password: known ? null : password, role });
  await client.query(
    `update accounts set is_superuser = is_superuser or $2, full_name = coalesce(nullif(full_name, ''), $3), updated_at = now()
      where id = $1 and ((not is_superuser and $2) or (coalesce(full_name, '') = '' and $3::text is not null))`,
    [made.accountId, superuser, fullName],
  );
  const { rows } = await client.query("select id, key from roles where organisation_id = $1 and key = $2 and is_system", [
    organisationId,
    role,
  ]);
  await audit(client, organisationId, {
    action: "membership.invited",
    role: rows[0],
    targetAccountId: made.accountId,
    detail: { role },
  });
  return { ...made, email, password: chosen === undefined ? password : null, existing: known !== undefined };
}

const MANAGERS = `select from member_access m where m.organisation_id = $1 and m.is_live
  and m.membership_id in (select h from members_holding($1, array['*', 'settings.roles.manage']) h) limit 1`;

/**
 * Deactivates a membership: the person's sessions and keys stop working in this organisation at once.
 * @returns whether it was active before
 * @throws OperatorError if no remaining member could administer roles (access §4.7)
 */
export async function deactivateMember(
  client: pg.ClientBase,
  organisationId: string,
  email: string,
): Promise<{ membershipId: string; accountId: string; changed: boolean }> {
  const account = await requireAccount(client, email);
  // The lock stops two concurrent changes from each relying on the other's administrator.
  await client.query("select 1 from organisations where id = $1 for update", [organisationId]);
  const { rows } = await client.query(
    "select id, deactivated_at from memberships where organisation_id = $1 and account_id = $2 for update",
    [organisationId, account.id],
  );
  if (!rows[0]) throw new OperatorError(`${account.email} is not a member of this organisation.`);
  const membership = { membershipId: rows[0].id as string, accountId: account.id };
  if (rows[0].deactivated_at !== null) return { ...membership, changed: false };
  await client.query(
    "update memberships set deactivated_at = now(), version = version + 1, updated_at = now() where organisation_id = $1 and id = $2",
    [organisationId, membership.membershipId],
  );
  if ((await client.query(MANAGERS, [organisationId])).rows.length === 0)
    throw new OperatorError(
      `${account.email} is the last person who can administer roles here: give another member that role first.`,
    );
  await audit(client, organisationId, { action: "membership.deactivated", targetAccountId: account.id });
  return { ...membership, changed: true };
}

export interface ListedMember {
  account_id: string;
  membership_id: string;
  email: string;
  full_name: string | null;
  roles: string[];
  is_active: boolean;
  is_superuser: boolean;
}

/** Lists an organisation's members by e-mail, including deactivated ones. */
export async function listMembers(client: pg.ClientBase, organisationId: string): Promise<ListedMember[]> {
  const { rows } = await client.query<ListedMember>(
    `select a.id as account_id, m.membership_id, a.email, a.full_name, a.is_superuser,
            m.is_live as is_active,
            coalesce((select array_agg(r.key order by r.position, r.key) from membership_roles mr
                        join roles r on r.organisation_id = mr.organisation_id and r.id = mr.role_id
                       where mr.organisation_id = m.organisation_id and mr.membership_id = m.membership_id), '{}') as roles
       from member_access m join accounts a on a.id = m.account_id where m.organisation_id = $1 order by a.email`,
    [organisationId],
  );
  return rows;
}
