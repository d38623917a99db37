import { columns } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { schedule } from "../../../core/jobs/jobs.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { AdsAccount, type AdsAccountRow } from "../../../mixins/google-ads/models.ts";
import { visibleAccounts } from "./account-rows.ts";

export const BACKFILL_JOB = "ads.accounts.backfill";
/** Milliseconds before the backfill of a linked account begins, so that its other writes commit first. */
const BACKFILL_DELAY = 5000;

const COMPANY = statement(`select 1 from companies t where t.organisation_id = $1 and t.id = $2
  and ($3::uuid[] is null or t.id in (select selected_companies($3::uuid[]))) for key share`);
const BY_CUSTOMER =
  statement(`select ${columns(AdsAccount, "t")}, ($3::uuid[] is null or ${visibleAccounts("$3::uuid[]")}) as is_visible
  from ads_accounts t where t.organisation_id = $1 and t.customer_id = $2 for update`);

/** The values of a link; undefined and null leave the stored value unchanged. */
export interface AttachedValues {
  company_id?: string | null | undefined;
  login_customer_id?: string | null | undefined;
  descriptive_name?: string | null | undefined;
  currency_code?: string | null | undefined;
  time_zone?: string | null | undefined;
  connection_id?: string | null | undefined;
}

/** @throws 404 if the client does not exist or is not visible */
export async function requireClient(id: string): Promise<void> {
  const { organisation, principal } = request();
  if (!(await queryOne(COMPANY, [organisation.id, id, principal?.selection ?? null]))) throw notFound();
}

/** The account of a customer id, locked. @throws 404 if the caller cannot see it */
export async function lockedByCustomer(customerId: string): Promise<AdsAccountRow | undefined> {
  const { organisation, principal } = request();
  const asked = [organisation.id, customerId, principal?.selection ?? null];
  const row = await queryOne<AdsAccountRow & { is_visible: boolean }>(BY_CUSTOMER, asked);
  if (row && !row.is_visible) throw notFound();
  return row;
}

/** Enqueues the backfill of an account unless one is enqueued already. */
export const backfillSoon = (accountId: string): string =>
  schedule(
    BACKFILL_JOB,
    { account_id: accountId },
    { runAt: new Date(Date.now() + BACKFILL_DELAY), key: accountId, dedupe: accountId },
  );

/** Reactivates an account; its backfill reads the days missed while it was inactive. */
export const REOPENED = { active: true, backfilled_at: null, backfilled_from: null } as const;

/**
 * Links an account in the running transaction, or updates it if it exists (marketing-ads §3.2).
 * @param existing the row from `lockedByCustomer`
 * @returns the account's id
 */
export function attachAccount(customerId: string, existing: AdsAccountRow | undefined, values: AttachedValues): string {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));
  if (!existing) {
    // Of two concurrent requests for the same account, the later one is retried and finds the earlier one's row.
    request().retryableConstraints.add("ads_accounts_one");
    const id = queueInsert(AdsAccount, { customer_id: customerId, descriptive_name: customerId, ...given });
    trail("ads_account", id, "created");
    backfillSoon(id);
    return id;
  }
  const changed = differences(existing, { ...given, ...(existing.active ? {} : REOPENED) });
  if (changed) {
    reportDetached(existing, changed);
    queueUpdate(AdsAccount, existing.id, changed);
    const changes = changesOf(AdsAccount.tracked, existing, changed);
    if (Object.keys(changes).length > 0) trail("ads_account", existing.id, "updated", { changes });
  }
  if (!existing.active || existing.backfilled_at === null) backfillSoon(existing.id);
  return existing.id;
}

/**
 * Reports an account that leaves its client: it moves to another one or to none, or is unlinked (marketing-ads §2.2).
 * @param changed its new values; missing ones stay
 */
export function reportDetached(before: AdsAccountRow, changed: Pick<AttachedValues, "company_id"> & { active?: boolean }): void {
  const { id, company_id, customer_id, active } = before;
  if (company_id === null || !active) return;
  const after = { active, ...changed };
  if (after.active && (after.company_id === undefined || after.company_id === company_id)) return;
  emit("ads.account.detached", "ads_account", id, { account_id: id, company_id, customer_id });
}

/** Reports the account and its client to marketing. */
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
