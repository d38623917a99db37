import { columns } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { RegistrarAccount, type RegistrarAccountRow } from "../models.ts";
import type { RegistrarAccess, RegistrarProvider } from "../provider.ts";
import { findRegistrar } from "../providers.ts";
import type { RegistrarAccountAnswer } from "./account-schemas.ts";

/** Accounts with their provider's name and domain count; domains gone from the register do not count (assets §10.3). */
const SHOWN = `select ${columns(RegistrarAccount, "t")}, p.name as provider_name,
    (select count(*)::int from registrar_domains d where d.organisation_id = t.organisation_id and d.account_id = t.id
      and d.registry_status is distinct from 'gone') as domain_count
  from registrar_accounts t left join providers p on p.organisation_id = t.organisation_id and p.id = t.provider_id
  where t.organisation_id = $1`;
const ALL = statement(`${SHOWN} and ($2::timestamptz is null or t.updated_at >= $2::timestamptz)
  order by t.name collate kantoor_text, t.id`);
const ONE = statement(`${SHOWN} and t.id = $2`);
const ACCOUNT = statement(`select ${columns(RegistrarAccount)} from registrar_accounts where organisation_id = $1 and id = $2`);

type Shown = RegistrarAccountRow & { provider_name: string | null; domain_count: number };

function shown(row: Shown): RegistrarAccountAnswer {
  const { id, name, adapter, api_user, provider_id, provider_name, active, status, tlds, domain_count } = row;
  const { funds_available, last_verified_at, last_synced_at, last_error } = row;
  return {
    id,
    name,
    adapter,
    api_user,
    provider_id,
    provider_name,
    active,
    status,
    tld_count: tlds.length,
    funds_available,
    last_verified_at,
    last_synced_at,
    last_error,
    password_configured: unsealed(RegistrarAccount, row, "api_password") !== null,
    domain_count,
  };
}

/** The accounts by name, inactive ones included. @param since an instant; only accounts changed from then on */
export async function accountsSince(since: string | null): Promise<RegistrarAccountAnswer[]> {
  return (await query<Shown>(ALL, [request().organisation.id, since])).map(shown);
}

/** The response for one account. @throws 404 */
export async function accountRead(id: string): Promise<JsonText> {
  const row = await queryOne<Shown>(ONE, [request().organisation.id, id]);
  if (!row) throw notFound();
  return new JsonText(JSON.stringify(shown(row)), row.version);
}

/** The stored account. @throws 404 */
export async function storedAccount(id: string): Promise<RegistrarAccountRow> {
  const found = await queryOne<RegistrarAccountRow>(ACCOUNT, [request().organisation.id, id]);
  if (!found) throw notFound();
  return found;
}

type Credential = Pick<RegistrarAccountRow, "api_user" | "api_password">;

/** Whether an account still has the credential of a call, whose outcome applies to no other. */
export const hasCredentialOf = (now: Credential, used: Credential): boolean =>
  now.api_user === used.api_user && now.api_password === used.api_password;

/** A registrar's adapter, and the account's credential for its calls. */
export interface Reached {
  registrar: RegistrarProvider;
  access: RegistrarAccess;
}

/** The registrar of an account with its credential; null if the credential is unreadable or the registrar has no adapter. */
export function reached(account: RegistrarAccountRow): Reached | null {
  const registrar = findRegistrar(account.adapter);
  const password = unsealed(RegistrarAccount, account, "api_password");
  if (!registrar || password === null) return null;
  return { registrar, access: { account: account.id, user: account.api_user, password } };
}

/** Same as {@link reached}, inside a request. @throws 409 registrar_credential_unreadable (assets §5.9) */
export function requireReached(account: RegistrarAccountRow): Reached {
  const found = reached(account);
  if (!found) throw refusal("registrar_credential_unreadable");
  return found;
}
