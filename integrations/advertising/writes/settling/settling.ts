import { columns } from "../../../../core/database/model.ts";
import { query } from "../../../../core/database/query.ts";
import { isApiError } from "../../../../core/errors/errors.ts";
import { type OrganisationRun, schedule, scheduleAll } from "../../../../core/jobs/jobs.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { AdsFailure } from "../../../../mixins/google-ads/failure.ts";
import { AdsAccount, type AdsAccountRow } from "../../../../mixins/google-ads/models.ts";
import { type AdsAccess, adsAccess, searchAds } from "../../../../mixins/google-ads/transport.ts";
import { AdsIntent, type AdsIntentRow, type OperationResult } from "../gate/intent-model.ts";
import { LOOK_AFTER, markUnknown, SETTLE } from "../gate/intents.ts";
import { recordSettled } from "../gate/recording.ts";
import { appliedOperations, type ProviderRow, readBackQueries } from "./read-back.ts";

/** Minutes after which a write that is not visible at the provider counts as not applied. */
const CERTAIN_AFTER = 10;
/** Refusals of one query; they tell nothing about the other writes of the account. */
const OF_ONE_QUERY = new Set<string>(["ads_platform_error", "ads_platform_query", "ads_platform_request"]);
/** Most writes of one account per run. */
const AT_ONCE = 50;

const ACCOUNT = statement(`select ${columns(AdsAccount)} from ads_accounts where organisation_id = $1 and id = $2`);
interface Open extends AdsIntentRow {
  is_certain: boolean;
  is_due: boolean;
}
const OPEN = statement(`select ${columns(AdsIntent)}, created_at < now() - interval '${CERTAIN_AFTER} minutes' as is_certain,
    created_at < now() - interval '${LOOK_AFTER} milliseconds' as is_due
  from ads_intents where organisation_id = $1 and account_id = $2 and state in ('pending', 'unknown') order by created_at, id limit ${AT_ONCE}`);
/** Objects that other writes of the account created; this write did not create them. */
const KNOWN = statement(`select d.payload ->> 'resource_name' as name from ads_decisions d
  where d.organisation_id = $1 and d.account_id = $2 and d.source = 'write' and d.decision in ('created', 'added', 'excluded')
    and d.payload ->> 'resource_name' = any($3::text[])`);
const WAITING =
  statement(`select distinct account_id from ads_intents where organisation_id = $1 and state in ('pending', 'unknown')
  and created_at < now() - interval '${LOOK_AFTER} milliseconds'`);

/** Reads the provider's current state of a write's objects. */
async function readBack(access: AdsAccess, { collection, planned }: AdsIntentRow, signal: AbortSignal): Promise<ProviderRow[]> {
  const queries = readBackQueries(
    collection,
    planned.map(({ operation }) => operation),
  );
  const rows: ProviderRow[] = [];
  for (const text of queries)
    rows.push(...(await searchAds<ProviderRow>(access, text, { operation: "writes.readback", signal })));
  return rows;
}

const namesIn = (rows: readonly ProviderRow[]): string[] =>
  rows.flatMap((row) => Object.values(row).map((one) => String((one as { resourceName?: string }).resourceName ?? "")));

type Settling = Pick<OrganisationRun, "organisation" | "read" | "write" | "signal" | "logger">;

async function settleOne(run: Settling, access: AdsAccess, intent: Open): Promise<void> {
  const { id, account_id, planned, collection, is_certain } = intent;
  const rows = await readBack(access, intent, run.signal);
  await run.write(async () => {
    const known = await query<{ name: string }>(KNOWN, [request().organisation.id, account_id, namesIn(rows)]);
    const names = appliedOperations(
      collection,
      planned.map(({ operation }) => operation),
      rows,
      new Set(known.map(({ name }) => name)),
    );
    const isComplete = names.every((name) => name !== null);
    if (!isComplete && !is_certain) return markUnknown(id, null);
    const results = planned.map(
      ({ index }, at): OperationResult => ({
        index,
        ok: names[at] !== null,
        resource_name: names[at] ?? null,
        error_code: null,
        message: null,
      }),
    );
    await recordSettled({ ...intent, intentId: id, accountId: account_id, results }, intent);
  });
}

const noteUnread = ({ logger }: Settling, accountId: string, { message }: Error): void =>
  logger.warn(
    { event: "advertising.writes_not_read_back", error: message, account: accountId },
    "writes of an advertising account could not be read back",
  );

/**
 * Settles the writes of an account whose outcome is unknown: reads the provider's state and sends nothing again. A write that is not
 * visible yet is checked again until it certainly did not happen.
 */
export async function settleAccount(run: Settling, accountId: string): Promise<void> {
  const [account, open] = await run.read(async () => {
    const place = [request().organisation.id, accountId];
    const [found] = await query<AdsAccountRow>(ACCOUNT, place);
    return [found, await query<Open>(OPEN, place)] as const;
  });
  if (!account || open.length === 0) return;
  try {
    const access = await adsAccess(account, run);
    for (const intent of open)
      if (intent.is_due)
        await settleOne(run, access, intent).catch((error: unknown) => {
          if (!(error instanceof AdsFailure) || !OF_ONE_QUERY.has(error.code)) throw error;
          noteUnread(run, accountId, error);
        });
  } catch (error) {
    if (!(error instanceof AdsFailure) && !isApiError(error)) throw error;
    noteUnread(run, accountId, error);
  }
  await run.write(async () => {
    const place = [request().organisation.id, accountId];
    if ((await query(OPEN, place)).length === 0) return;
    schedule(SETTLE, { account_id: accountId }, { runAt: new Date(Date.now() + LOOK_AFTER), dedupe: accountId });
  });
}

/** Schedules settling for every account with unsettled writes, in case an earlier job was lost. */
export async function settleWaiting(run: OrganisationRun): Promise<void> {
  const { organisation } = run;
  await run.write(async () => {
    const waiting = await query<{ account_id: string }>(WAITING, [organisation.id]);
    scheduleAll(
      SETTLE,
      waiting.map(({ account_id }) => ({ payload: { account_id }, dedupe: account_id })),
    );
  });
}
