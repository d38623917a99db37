import { columns } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { changesOf, trail } from "../../../core/database/trail.ts";
import { differing, explainConstraints, insert, update } from "../../../core/database/write.ts";
import { notFound } from "../../../core/declare/errors.ts";
import { schedule } from "../../../core/jobs/jobs.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { AdsAccount, type AdsAccountRow } from "../../../mixins/google-ads/models.ts";
import { visibleAccounts } from "./account-rows.ts";

export const BACKFILL_JOB = "ads.accounts.backfill";
/** Milliseconds until the backfill of a linked account begins: its other writes come first. */
const BACKFILL_DELAY = 5000;

// A client that went away between the look and the write is not found either.
explainConstraints({ ads_accounts_organisation_id_company_id_fkey: notFound });

const COMPANY = statement(`select 1 from companies t where t.organisation_id = $1 and t.id = $2
  and ($3::uuid[] is null or t.id in (select selected_companies($3::uuid[]))) for key share`);
const BY_CUSTOMER =
  statement(`select ${columns(AdsAccount, "t")}, ($3::uuid[] is null or ${visibleAccounts("$3::uuid[]")}) as is_visible
  from ads_accounts t where t.organisation_id = $1 and t.customer_id = $2 for update`);

/** What an account is linked with; undefined and null keep what is stored. */
export interface AttachedValues {
  company_id?: string | null | undefined;
  login_customer_id?: string | null | undefined;
  descriptive_name?: string | null | undefined;
  currency_code?: string | null | undefined;
  time_zone?: string | null | undefined;
  connection_id?: string | null | undefined;
}

/** @throws 404 for a client that is not there or not visible */
export async function requireClient(id: string): Promise<void> {
  const { organisation, principal } = request();
  if (!(await queryOne(COMPANY, [organisation.id, id, principal?.selection ?? null]))) throw notFound();
}

/** The account of a customer id, locked. @throws 404 for one that the caller does not see */
export async function lockedByCustomer(customerId: string): Promise<AdsAccountRow | undefined> {
  const { organisation, principal } = request();
  const asked = [organisation.id, customerId, principal?.selection ?? null];
  const row = await queryOne<AdsAccountRow & { is_visible: boolean }>(BY_CUSTOMER, asked);
  if (row && !row.is_visible) throw notFound();
  return row;
}

/** Has the days before be read soon, unless they are. */
export const backfillSoon = (accountId: string): string =>
  schedule(
    BACKFILL_JOB,
    { account_id: accountId },
    { runAt: new Date(Date.now() + BACKFILL_DELAY), key: accountId, dedupe: accountId },
  );

/** What was not read while an account was inactive is read with its backfill. */
export const REOPENED = { active: true, backfilled_at: null, backfilled_from: null } as const;

/**
 * Links an account, in the running transaction; one that is there is linked again (marketing-ads §3.2).
 * @param existing as `lockedByCustomer` gave it
 * @returns the account's id
 */
export function attachAccount(customerId: string, existing: AdsAccountRow | undefined, values: AttachedValues): string {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));
  if (!existing) {
    // Of two that link the same at once the later one runs again and finds what the earlier one wrote.
    request().retryableConstraints.add("ads_accounts_one");
    const id = insert(AdsAccount, { customer_id: customerId, descriptive_name: customerId, ...given });
    trail("ads_account", id, "created");
    backfillSoon(id);
    return id;
  }
  const changed = differing(existing, { ...given, ...(existing.active ? {} : REOPENED) });
  if (changed) {
    update(AdsAccount, existing.id, changed);
    const changes = changesOf(AdsAccount.tracked, existing, changed);
    if (Object.keys(changes).length > 0) trail("ads_account", existing.id, "updated", { changes });
  }
  if (!existing.active || existing.backfilled_at === null) backfillSoon(existing.id);
  return existing.id;
}

/** Reports that an account is a client's, for marketing to follow. */
export function reportAttached(
  id: string,
  companyId: string,
  account: Pick<AdsAccountRow, "customer_id" | "descriptive_name" | "currency_code" | "login_customer_id" | "connection_id">,
): void {
  const { customer_id, descriptive_name, currency_code, login_customer_id, connection_id } = account;
  emit("ads.account.attached", "ads_account", id, {
    ...{ account_id: id, company_id: companyId, customer_id, descriptive_name, connection_id },
    currency: currency_code,
    manager_id: login_customer_id,
  });
}
