import type { UpdateOf } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { statement } from "../../../core/sql/statement.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { accountSync, type SyncEnd, type SyncRun } from "../../../mixins/account-sync/account-sync.ts";
import { EdgeAccount, type EdgeAccountRow } from "../models.ts";
import { findAccount } from "../provider/account-access.ts";
import type { EdgeAccess } from "../provider/client.ts";
import { EdgeFailure } from "../provider/failure.ts";
import { visibleAccounts } from "../provider/verify.ts";
import { readProjects, storeProjects } from "./projects.ts";
import { readRegistrations, storeRegistrations } from "./registrations.ts";
import { NOTHING_SYNCED, type SyncResult } from "./sync-result.ts";
import { edgeAccounts } from "./syncs.due.ts";
import { readZones, storeZones } from "./zones.ts";

export type { SyncResult };

const LONGEST_WARNING = 200;
const NOW = statement("select statement_timestamp() as now");
const LOCK = statement("select 1 from edge_accounts where organisation_id = $1 and id = $2 for update");

type End = SyncEnd<typeof EdgeAccount, SyncResult>;
type Values = UpdateOf<typeof EdgeAccount>;

/** The account was deleted during the sync. */
class Removed extends Error {}

/** The account's id at the provider, and the columns that are new. */
async function accountIdOf(
  access: EdgeAccess,
  { edge_account_id: known }: EdgeAccountRow,
): Promise<{ id: string | null; values: Values }> {
  if (known !== null) return { id: known, values: {} };
  const [only, ...others] = await visibleAccounts(access);
  if (!only || others.length > 0) return { id: null, values: {} };
  return { id: only.id, values: { edge_account_id: only.id, edge_account_name: only.name } };
}

/** A failed sync. @param token the sealed token of its calls; the failure does not apply to a newer one */
const failed = (failure: string, values: Values = {}, token?: string): End => ({
  result: { ...NOTHING_SYNCED, ok: false, error: failure },
  account: ({ api_token }) => (token === undefined || token === api_token ? { ...values, last_error: failure } : {}),
});

/** One sync of one account (assets §6, "Sync"). */
async function syncAccount(run: SyncRun): Promise<End | undefined> {
  const { accountId, organisation } = run;
  const { account, began } = await run.read(async () => ({
    account: await findAccount(accountId),
    began: (await queryOne<{ now: string }>(NOW))?.now ?? null,
  }));
  if (!account) return undefined;
  const token = unsealed(EdgeAccount, account, "api_token");
  if (token === null) return failed("errors.edge_token_unreadable", {}, account.api_token);
  const access: EdgeAccess = { account: accountId, token };

  /** Stores results, if the account still exists. */
  const store = <T>(work: () => Promise<T>): Promise<T> =>
    run.write(async () => {
      if (!(await queryOne(LOCK, [organisation.id, accountId]))) throw new Removed();
      return work();
    });

  const result: SyncResult = { ...NOTHING_SYNCED, warnings: [] };
  /** Runs a part whose failure is only a warning and leaves its data unchanged. */
  const part = async (work: () => Promise<Partial<SyncResult>>): Promise<void> => {
    try {
      Object.assign(result, await work());
    } catch (error) {
      if (!(error instanceof EdgeFailure) || run.signal.aborted) throw error;
      result.warnings.push(shortened(error.message, LONGEST_WARNING));
    }
  };

  try {
    const zones = await readZones(access, account.edge_account_id).catch((error: unknown) => {
      if (error instanceof EdgeFailure && !run.signal.aborted) return error;
      throw error;
    });
    if (zones instanceof EdgeFailure)
      return failed(zones.message, zones.breaksAccount ? { status: "error" } : {}, account.api_token);
    Object.assign(result, await store(() => storeZones(accountId, zones, began)));

    let found: Values = {};
    let values: Values = {};
    let edgeAccountId: string | null = null;
    await part(async () => {
      ({ id: edgeAccountId, values: found } = await accountIdOf(access, account));
      if (edgeAccountId === null) result.warnings.push("no_account_id");
      return {};
    });
    if (edgeAccountId !== null) {
      const id: string = edgeAccountId;
      await part(async () => {
        const { warnings, ...read } = await readProjects(access, id);
        const counts = await store(() => storeProjects(accountId, read, began));
        result.warnings.push(...warnings);
        return counts;
      });
      await part(async () => {
        const registrations = await readRegistrations(access, id);
        const counts = await store(() => storeRegistrations(accountId, registrations));
        values = { registrations_read_at: new Date().toISOString() };
        return counts;
      });
    }
    const last_synced_at = new Date().toISOString();
    return {
      result,
      account: ({ api_token, edge_account_id }) => ({
        ...values,
        // A member may have chosen another account during the calls.
        ...(edge_account_id === null && found),
        ...(api_token === account.api_token && { status: "active" as const, last_error: null }),
        last_synced_at,
      }),
    };
  } catch (error) {
    if (error instanceof Removed) return undefined;
    throw error;
  }
}

/** Syncs of edge accounts, one at a time per account. */
export const edgeSync = accountSync<typeof EdgeAccount, SyncResult>({
  due: edgeAccounts,
  job: "edge.sync",
  module: "edge",
  about: "Reads zones, static sites and registered domains of an edge account",
  model: EdgeAccount,
  sync: syncAccount,
  gaveUp: (error) => failed(error),
});
