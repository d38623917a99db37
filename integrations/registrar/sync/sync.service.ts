import { columns } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { withoutLoops } from "../../../core/database/without-loops.ts";
import { lock } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { prepared } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { accountSync, type SyncEnd, type SyncRun } from "../../../mixins/account-sync/account-sync.ts";
import { service } from "../../../mixins/resource.ts";
import { hasCredentialOf, reached, requireReached, storedAccount } from "../accounts/account-rows.ts";
import { RegistrarAccountSyncResult, type SyncResult } from "../accounts/account-schemas.ts";
import { RegistrarAccount, type RegistrarAccountRow } from "../models.ts";
import { RegistrarFailure, type Registration } from "../provider.ts";
import { type Counts, storeRegister } from "./store-register.ts";
import { registrarAccounts } from "./syncs.due.ts";

const NOW = statement("select statement_timestamp() as now");

type End = SyncEnd<typeof RegistrarAccount, SyncResult>;

const ACCOUNT = statement(`select ${columns(RegistrarAccount)} from registrar_accounts where organisation_id = $1 and id = $2`);

/** A failed sync. @param used the account as it was for the calls; the failure does not apply to a newer credential */
const failed = (error: string, used?: RegistrarAccountRow): End => ({
  result: { ok: false, found: 0, matched: 0, unmatched: 0, drifted: 0, error },
  account: (now) => (used === undefined || hasCredentialOf(now, used) ? { status: "error", last_error: error } : {}),
});

function succeeded({ found, matched, drifted }: Counts, used: RegistrarAccountRow): End {
  const last_synced_at = new Date().toISOString();
  return {
    result: { ok: true, found, matched, unmatched: found - matched, drifted, error: null },
    account: (now) => ({ last_synced_at, ...(hasCredentialOf(now, used) && { status: "active" as const, last_error: null }) }),
  };
}

/** The whole register, or the error. */
async function listOf(account: RegistrarAccountRow): Promise<readonly Registration[] | string> {
  const found = reached(account);
  if (!found) return "errors.registrar_credential_unreadable";
  try {
    return await found.registrar.list(found.access);
  } catch (error) {
    if (!(error instanceof RegistrarFailure)) throw error;
    return error.message;
  }
}

/** Reads an account's register completely, then stores it; undefined if the account was deleted meanwhile (assets §10.3). */
async function syncAccount({ accountId, organisation, read, write }: SyncRun): Promise<End | undefined> {
  const { account, began } = await read(async () => ({
    account: await queryOne<RegistrarAccountRow>(ACCOUNT, [organisation.id, accountId]),
    began: (await queryOne<{ now: string }>(NOW))?.now ?? null,
  }));
  if (!account) return undefined;
  const listed = await listOf(account);
  if (typeof listed === "string") return failed(listed, account);
  return write(async () => {
    if (!(await lock(RegistrarAccount, accountId))) return undefined;
    const counts = await withoutLoops(() => storeRegister(accountId, listed, began));
    trail("registrar_account", accountId, "registrar.register_synced", { ...counts });
    return succeeded(counts, account);
  });
}

const syncs = accountSync<typeof RegistrarAccount, SyncResult>({
  due: registrarAccounts,
  job: "registrar.sync",
  module: "registrar",
  about: "Reads the register of an account at a registrar",
  model: RegistrarAccount,
  sync: syncAccount,
  gaveUp: (error) => failed(error),
});

/** Syncs the registers of accounts (assets §10.3). */
export default service("registrar.sync", {
  actions: {
    sync: action({
      rest: "POST /registrar/accounts/:account_id/sync",
      summary: "Read the register of an account",
      description:
        "Joins a running sync and waits for its end. A refusal is an answer, in the registrar's words, and changes nothing. Creates and changes no domain record.",
      permission: "registrar.registrar.sync",
      returns: RegistrarAccountSyncResult,
      status: 200,
      errors: ["registrar_account_inactive", "registrar_credential_unreadable", "unavailable"],
      async prepare({ params: { account_id: id } }): Promise<SyncResult> {
        const account = await storedAccount(id);
        if (!account.active) throw refusal("registrar_account_inactive");
        requireReached(account);
        return syncs.join(id);
      },
      handler: async () => prepared<SyncResult>(),
    }),
  },
  jobs: syncs.jobs,
});
