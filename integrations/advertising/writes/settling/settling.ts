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
import type { ProviderRow } from "../requests/provider-objects.ts";
import { changesIn, historyQuery, reachesBack } from "./history.ts";
import { type LaterWrite, type Outcome, outcomesOf } from "./outcomes.ts";
import { appliedOperations, readBackQueries } from "./read-back.ts";

/** Minutes after which a write that neither the provider's objects nor its history show is settled without them. */
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

/** Writes of ours to the same object since then. */
const LATER =
  statement(`select state, planned -> 0 -> 'operation' -> 'update' as update, planned -> 0 -> 'before' as before from ads_intents
  where organisation_id = $1 and account_id = $2 and planned -> 0 -> 'operation' -> 'update' ->> 'resourceName' = $3
    and (created_at, id) > ($4::timestamptz, $5::uuid)`);

type Settling = Pick<OrganisationRun, "organisation" | "read" | "write" | "signal" | "logger">;
/** Runs queries about a write at the provider. */
type Ask = (queries: readonly string[]) => Promise<ProviderRow[]>;

const asking =
  (access: AdsAccess, signal: AbortSignal): Ask =>
  async (queries) => {
    const rows: ProviderRow[] = [];
    for (const text of queries)
      rows.push(...(await searchAds<ProviderRow>(access, text, { operation: "writes.readback", signal })));
    return rows;
  };

const namesIn = (rows: readonly ProviderRow[]): string[] =>
  rows.flatMap((row) => Object.values(row).map((one) => String((one as { resourceName?: string }).resourceName ?? "")));

/** The resource names among some that other writes of the account created. */
async function knownAmong(accountId: string, names: readonly string[]): Promise<Set<string>> {
  const known = await query<{ name: string }>(KNOWN, [request().organisation.id, accountId, names]);
  return new Set(known.map(({ name }) => name));
}

/** The writes of ours that followed an update; none for other operations, which have no value to replace. */
async function laterWrites({ account_id, planned, created_at, id }: Open): Promise<LaterWrite[]> {
  const name = planned[0]?.operation.update?.["resourceName"];
  if (name === undefined) return [];
  return query<LaterWrite>(LATER, [request().organisation.id, account_id, name, created_at, id]);
}

async function settleOne(run: Settling, ask: Ask, intent: Open, zone: string | null): Promise<void> {
  const { id, account_id, planned, collection, is_certain, created_at } = intent;
  const operations = planned.map(({ operation }) => operation);
  const rows = await ask(readBackQueries(collection, operations));
  const shown = (known: ReadonlySet<string>) => appliedOperations(collection, operations, rows, known);
  const isAll = (names: readonly (string | null)[]) => names.every((name) => name !== null);
  const now = Date.now();
  const isShown = isAll(shown(await run.read(() => knownAmong(account_id, namesIn(rows)))));
  const history = isShown ? null : historyQuery(collection, created_at, now, zone);
  const changes = changesIn(collection, history === null ? [] : await ask([history]));
  await run.write(async () => {
    const known = await knownAmong(account_id, [...namesIn(rows), ...changes.map(({ name }) => name)]);
    const names = shown(known);
    const evidence = { rows, known, changes, later: await laterWrites(intent), isForgotten: !reachesBack(created_at, now) };
    const outcomes = outcomesOf(collection, planned, names, evidence);
    const isApplied = (one: Outcome | undefined) => typeof one === "object";
    // What does not show yet may still come.
    if (!outcomes.every(isApplied) && !is_certain) return markUnknown(id, null);
    const results = planned.map(({ index }, at): OperationResult => {
      const outcome = outcomes[at];
      const name = typeof outcome === "object" ? outcome.name : null;
      return { index, ok: isApplied(outcome), resource_name: name, error_code: null, message: null };
    });
    const unapplied = outcomes.includes("superseded") ? "superseded" : "refused";
    await recordSettled({ ...intent, intentId: id, accountId: account_id, results, unapplied }, intent);
  });
}

const noteUnread = ({ logger }: Settling, accountId: string, { message }: Error): void =>
  logger.warn(
    { event: "advertising.writes_not_read_back", error: message, account: accountId },
    "writes of an advertising account could not be read back",
  );

/**
 * Settles the writes of an account whose outcome is unknown: reads the provider's state and, for what does not show there, its change
 * history; sends nothing again. A write that neither shows is checked again until its outcome is certain.
 */
export async function settleAccount(run: Settling, accountId: string): Promise<void> {
  const [account, open] = await run.read(async () => {
    const place = [request().organisation.id, accountId];
    const [found] = await query<AdsAccountRow>(ACCOUNT, place);
    return [found, await query<Open>(OPEN, place)] as const;
  });
  if (!account || open.length === 0) return;
  try {
    const ask = asking(await adsAccess(account, run), run.signal);
    for (const intent of open)
      if (intent.is_due)
        await settleOne(run, ask, intent, account.time_zone).catch((error: unknown) => {
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
