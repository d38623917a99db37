import { columns } from "../../../core/database/model.ts";
import { enqueue, queryAll } from "../../../core/database/query.ts";
import { type ApiError, notFound, refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { chosenAccount } from "../accounts/account-choice.ts";
import { type Reached, requireReached } from "../accounts/account-rows.ts";
import { RegistrarAccount, type RegistrarAccountRow } from "../models.ts";
import { splitName } from "../names.ts";
import type { RegistrarFailure, SplitName } from "../provider.ts";
import type { RegistrarDomainAnswer } from "./registration-schemas.ts";
import { OF_DOMAIN } from "./registrations.ts";

const DOMAIN = statement(`select d.id, d.name, d.label, d.nameservers, d.dns_checked_at from domains d
  where d.organisation_id = $1 and d.id = $2 and ($3::uuid[] is null or d.company_id in (select selected_companies($3::uuid[])))`);
const REGISTRATIONS = statement(
  OF_DOMAIN.replace("name = $3", "name = (select d.name from domains d where d.organisation_id = $1 and d.id = $2)"),
);
/** Domains that the caller sees among those its registrations are linked to: a registration of the same name may belong to another. */
const SEEN = statement(`select d.id from domains d where d.organisation_id = $1
  and d.id in (select r.domain_id from registrar_domains r where r.organisation_id = $1
    and (r.domain_id = $2 or r.name = (select s.name from domains s where s.organisation_id = $1 and s.id = $2)))
  and ($3::uuid[] is null or d.company_id in (select selected_companies($3::uuid[])))`);
const ACCOUNTS = statement(
  `select ${columns(RegistrarAccount)} from registrar_accounts where organisation_id = $1 order by name, id`,
);

/** The refusals of any call about one domain. */
export const ASKING_ERRORS = [
  "registrar_account_ambiguous",
  "registrar_account_inactive",
  "registrar_credential_unreadable",
  "registrar_no_account",
  "registrar_not_verified",
  "registrar_unknown_tld",
] as const;

/** A stored domain as the registrar code sees it. */
export interface DomainPlace {
  id: string;
  /** In ASCII. */
  name: string;
  label: string;
  /** The name servers last found in public DNS. */
  nameservers: string[] | null;
  dns_checked_at: string | null;
  /** Its registrations, those still listed first. */
  registrations: readonly RegistrarDomainAnswer[];
  accounts: readonly RegistrarAccountRow[];
}

/** The effective registration: the first one an account still lists. */
export const heldIn = ({ registrations }: Pick<DomainPlace, "registrations">): RegistrarDomainAnswer | undefined =>
  registrations.find(({ status }) => status !== "gone");

/**
 * Loads a domain with its registrations and accounts in one flush. A registration that is linked to a domain hidden from the caller does not
 * name it.
 * @throws 404 for a missing or hidden domain
 */
export async function placeOf(domainId: string): Promise<DomainPlace> {
  const { organisation, principal } = request();
  const asSeen = [organisation.id, domainId, principal?.selection ?? null];
  const [domains, registrations, accounts, seen] = await queryAll(
    [DOMAIN, asSeen],
    [REGISTRATIONS, [organisation.id, domainId]],
    [ACCOUNTS, [organisation.id]],
    [SEEN, asSeen],
  );
  const visible = new Set((seen as unknown as { id: string }[]).map(({ id }) => id));
  const labelled = (row: RegistrarDomainAnswer): RegistrarDomainAnswer =>
    row.domain_id === null || visible.has(row.domain_id) ? row : { ...row, domain_id: null, domain_name: null };
  const [domain] = (domains ?? []) as unknown as Omit<DomainPlace, "registrations" | "accounts">[];
  if (!domain) throw notFound();
  return {
    ...domain,
    registrations: (registrations as unknown as RegistrarDomainAnswer[]).map(labelled),
    accounts: accounts as unknown as RegistrarAccountRow[],
  };
}

/** A domain and the account to ask about it. */
export interface DomainAtRegistrar extends Reached {
  domain: DomainPlace;
  account: RegistrarAccountRow;
  split: SplitName;
}

/**
 * Chooses the account for a domain, without calling the registrar.
 * @throws 404, and 409 depending on account and name (assets §10.4, §10.6)
 */
export async function askedAt(domainId: string, accountId: string | null | undefined): Promise<DomainAtRegistrar> {
  const domain = await placeOf(domainId);
  const account = chosenAccount(domain.accounts, accountId, heldIn(domain)?.account_id);
  const found = requireReached(account);
  return { ...found, domain, account, split: splitName(domain.name, account.tlds) };
}

// A failure with a credential that was replaced meanwhile does not apply to the new one.
const FAILED = statement(`update registrar_accounts set last_error = $5, status = case when $6 then 'error' else status end,
    version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and api_user = $3 and api_password = $4`);

/** An account with the credential of a call, sealed. */
export type CalledAccount = Pick<RegistrarAccountRow, "id" | "api_user" | "api_password">;

/** Stores a failed call on its account: a refused credential sets its status, other failures only its last error. In a write. */
export const noteFailure = (
  { id, api_user, api_password }: CalledAccount,
  { kind, message }: Pick<RegistrarFailure, "kind" | "message">,
): void => enqueue(FAILED, [request().organisation.id, id, api_user, api_password, message, kind === "rejected"]);

/** The failure of a registrar as a refusal for the caller (assets §10.6). */
function refusalOf({ kind, retryAfter }: RegistrarFailure): ApiError {
  const codes = {
    rejected: "registrar_credential_rejected",
    conflict: "registrar_nsgroup_conflict",
    failed: "registrar_request_failed",
    unreachable: "registrar_unreachable",
  };
  return refusal(codes[kind], undefined, retryAfter === null ? {} : { details: { retry_after_seconds: retryAfter } });
}

/**
 * The refusal for a failed call of a request. It stores the reason on the account in its own transaction, so that the refused request does
 * not roll it back (assets §5.8). A failure to store is ignored.
 */
export async function refusedBy(failure: RegistrarFailure, account: RegistrarAccountRow): Promise<ApiError> {
  await inOwnTransaction(async () => noteFailure(account, failure)).catch(() => {});
  return Object.assign(refusalOf(failure), { cause: failure });
}
