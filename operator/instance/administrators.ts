import type pg from "pg";
import { CAPABILITIES, type Capability } from "../../core/declare/instance.ts";
import { invalid } from "../../core/errors/errors.ts";
import { isEmail } from "../../core/schema/schema.ts";
import { hashPassword, randomHex } from "../../core/security/crypto.ts";
import { passwordProblem } from "../../core/security/password-rule.ts";
import { OperatorError, requireLine } from "../organisations.ts";

/** Days in which a password that another person passed on must be replaced. */
const PASSED_ON_DAYS = 7;

/** An instance administrator as the API and the command line show one. */
export interface Administrator {
  id: string;
  email: string;
  full_name: string | null;
  capabilities: Capability[];
  is_active: boolean;
  /** Whether the second factor is confirmed, which happens with the first sign-in. */
  has_second_factor: boolean;
  created_at: string;
}

const COLUMNS = "id, email, full_name, capabilities, is_active, totp_confirmed_at is not null as has_second_factor, created_at";

/** All instance administrators by e-mail, including deactivated ones. */
export async function listAdministrators(client: pg.ClientBase): Promise<Administrator[]> {
  return (await client.query<Administrator>(`select ${COLUMNS} from instance_administrators order by email`)).rows;
}

/** An administrator by id or e-mail, locked until the transaction ends; undefined if there is none. */
export async function lockAdministrator(client: pg.ClientBase, given: string): Promise<Administrator | undefined> {
  const { rows } = await client.query<Administrator>(
    `select ${COLUMNS} from instance_administrators where id::text = $1 or email = lower($1) for update`,
    [given.trim()],
  );
  return rows[0];
}

/** Capabilities by their names; `all` for every one. @throws OperatorError for an unknown name */
export function readCapabilities(names: readonly string[]): Capability[] {
  if (names.length === 1 && names[0] === "all") return [...CAPABILITIES];
  const unknown = names.filter((name) => !CAPABILITIES.some((one) => one === name));
  if (unknown.length > 0)
    throw new OperatorError(`No such capability: ${unknown.join(", ")}. There are ${CAPABILITIES.join(", ")}, or 'all'.`);
  return CAPABILITIES.filter((one) => names.includes(one));
}

/** A password to be passed on, with its hash. */
async function newPassword(): Promise<{ password: string; hash: string }> {
  const password = randomHex(12);
  return { password, hash: await hashPassword(password) };
}

/**
 * Adds an instance administrator.
 * @returns its id, and a password for the first sign-in within seven days, which asks for a new one and enrols the second factor
 * @throws OperatorError for an invalid address or name, or if there is such an administrator
 */
export async function addAdministrator(
  client: pg.ClientBase,
  { email: given, fullName, capabilities }: { email: string; fullName: string | null; capabilities: readonly Capability[] },
): Promise<{ id: string; email: string; password: string }> {
  const email = given.trim().toLowerCase();
  if (!isEmail(email)) throw new OperatorError(`'${given}' is not an e-mail address.`);
  requireLine(fullName);
  const { password, hash } = await newPassword();
  const { rows } = await client.query<{ id: string }>(
    `insert into instance_administrators (email, full_name, capabilities, password_hash, password_expires_at)
     values ($1, $2, $3, $4, now() + make_interval(days => $5)) on conflict (email) do nothing returning id`,
    [email, fullName?.trim() || null, capabilities, hash, PASSED_ON_DAYS],
  );
  if (!rows[0]) throw new OperatorError(`There is an instance administrator ${email} already.`);
  return { id: rows[0].id, email, password };
}

/**
 * Ends what an administrator signs in with: password, second factor and sessions. Keys stay.
 * @returns a password for the next sign-in, as for a new administrator
 */
export async function resetAdministrator(client: pg.ClientBase, id: string): Promise<string> {
  const { password, hash } = await newPassword();
  await client.query(
    `update instance_administrators set password_hash = $2, password_expires_at = now() + make_interval(days => $3), totp_secret = null,
       totp_confirmed_at = null, totp_last_step = 0, failures = 0, last_failure_at = null, updated_at = now() where id = $1`,
    [id, hash, PASSED_ON_DAYS],
  );
  await endSignIns(client, id);
  return password;
}

/** Ends the sessions and half-finished sign-ins of an administrator. */
export async function endSignIns(client: pg.ClientBase, id: string): Promise<void> {
  await client.query("delete from instance_sessions where administrator_id = $1", [id]);
  await client.query("delete from instance_challenges where administrator_id = $1", [id]);
}

/**
 * Changes an administrator's name, capabilities or whether it is active. Deactivating ends its sessions; its keys work again only when it is
 * active again.
 * @throws OperatorError if no active administrator with the capability `administrators` would be left
 */
export async function changeAdministrator(
  client: pg.ClientBase,
  id: string,
  change: { fullName?: string | null; capabilities?: readonly Capability[]; isActive?: boolean },
): Promise<Administrator> {
  requireLine(change.fullName);
  // Two concurrent changes must not each rely on the other's administrator.
  await client.query("select from instance_administrators where is_active order by id for update");
  const { rows } = await client.query<Administrator>(
    `update instance_administrators set full_name = case when $2 then $3 else full_name end, capabilities = coalesce($4, capabilities),
       is_active = coalesce($5, is_active), updated_at = now() where id = $1 returning ${COLUMNS}`,
    [id, change.fullName !== undefined, change.fullName?.trim() || null, change.capabilities ?? null, change.isActive ?? null],
  );
  const left = await client.query(
    "select from instance_administrators where is_active and 'administrators' = any(capabilities) limit 1",
  );
  if (left.rowCount === 0) throw new OperatorError("An active administrator must keep the capability 'administrators'.");
  if (change.isActive === false) await endSignIns(client, id);
  return rows[0] as Administrator;
}

/** Sets the password that an administrator has chosen. @throws 422 if it breaks the rule of access §1.3 */
export async function choosePassword(
  client: pg.ClientBase,
  { id, email }: { id: string; email: string },
  password: string,
): Promise<void> {
  const problem = passwordProblem(password, email);
  if (problem !== null) throw invalid({ new_password: problem });
  await client.query(
    "update instance_administrators set password_hash = $2, password_expires_at = null, updated_at = now() where id = $1",
    [id, await hashPassword(password)],
  );
}
