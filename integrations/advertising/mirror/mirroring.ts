import { addDays, isoWeekday } from "../../../core/calendar/dates.ts";
import type { DaySpan } from "../../../core/calendar/named-spans.ts";
import { todayIn } from "../../../core/calendar/zones.ts";
import { DEFAULT_ZONE } from "../../../core/config/defaults.ts";
import { columns } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { JobFailure } from "../../../core/errors/job-failure.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { statement } from "../../../core/sql/statement.ts";
import { customerFacts } from "../../../mixins/google-ads/customer-facts.ts";
import { AdsFailure } from "../../../mixins/google-ads/failure.ts";
import { AdsAccount, type AdsAccountRow } from "../../../mixins/google-ads/models.ts";
import { type AdsAccess, adsAccess, TooManyRows } from "../../../mixins/google-ads/transport.ts";
import { failureOn } from "../accounts/verifying.ts";
import { readChanges, storeChanges } from "./changes.ts";
import { readDays, storeDays } from "./days.ts";
import { halves, nextChunk, nightlySpans } from "./spans.ts";

export type AccountRun = OrganisationRun<{ account_id: string }>;

const SUNDAY = 7;
const READABLE = "organisation_id = $1 and id = $2 and active and not is_manager";
const READ = statement(`select ${columns(AdsAccount)} from ads_accounts where ${READABLE}`);
const LOCK = statement(`select ${columns(AdsAccount)} from ads_accounts where ${READABLE} for update`);
// Mirroring does not change the record: its version and update time stay the same.
const LEARNT =
  statement(`update ads_accounts set time_zone = coalesce($3, time_zone), currency_code = coalesce($4, currency_code),
  is_manager = $5 where organisation_id = $1 and id = $2`);
const SYNCED = statement(`update ads_accounts set last_synced_at = statement_timestamp(), status = 'active', last_error = null
  where organisation_id = $1 and id = $2`);
// Only a run up to yesterday sets `last_synced_at`, because the nightly run starts there.
const RECOVERED = statement(
  "update ads_accounts set status = 'active', last_error = null where organisation_id = $1 and id = $2",
);
const FAILED = statement("update ads_accounts set status = 'error', last_error = $3 where organisation_id = $1 and id = $2");
const CHUNK_STORED = statement("update ads_accounts set backfilled_from = $3::date where organisation_id = $1 and id = $2");
const COMPLETE = statement(
  "update ads_accounts set backfilled_at = statement_timestamp(), backfilled_from = null where organisation_id = $1 and id = $2",
);

const found = (run: AccountRun) => run.read(() => queryOne<AdsAccountRow>(READ, [run.organisation.id, run.payload.account_id]));

/** Stores the failure reason on the account and ends the run; retries a failure that may be temporary. */
async function failed(run: AccountRun, error: unknown): Promise<void> {
  const failure = failureOn(error);
  if (!failure || run.signal?.aborted) throw error;
  const { organisation, payload } = run;
  await run.write(async () => enqueue(FAILED, [organisation.id, payload.account_id, failure.last_error]));
  if (error instanceof AdsFailure && error.isRepeatable)
    throw new JobFailure(error.message, error.retryDelay ?? undefined, { cause: error });
}

/** The context for reading an account: its access, and today in its zone. */
interface Opened {
  access: AdsAccess;
  today: string;
  /** The day of the last run, in the account's zone. */
  syncedOn: string | null;
}

/** Opens an account and fetches its zone and currency if they are missing. Undefined for a manager account, which has no figures. */
async function opened(run: AccountRun, account: AdsAccountRow): Promise<Opened | undefined> {
  const access = await adsAccess(account, run);
  let zone = account.time_zone;
  if (!zone || !account.currency_code) {
    const facts = await customerFacts(access, "customer.learn");
    if (facts) {
      const learnt = [facts.time_zone, facts.currency_code, facts.is_manager];
      await run.write(async () => enqueue(LEARNT, [run.organisation.id, account.id, ...learnt]));
      if (facts.is_manager) return undefined;
    }
    zone ||= facts?.time_zone ?? null;
  }
  const dayOf = (instant: number) => todayIn(zone, instant, DEFAULT_ZONE);
  const { last_synced_at: synced } = account;
  return { access, today: dayOf(Date.now()), syncedOn: synced && dayOf(Date.parse(synced)) };
}

/**
 * Reads a span and stores it with the writes of `also`; returns false if the account no longer exists. A span with more rows than one read
 * returns is read in halves: 90 days of many campaigns would fail every week.
 */
async function mirrored(run: AccountRun, access: AdsAccess, span: DaySpan, also: (place: string[]) => unknown): Promise<boolean> {
  const days = await readDays(access, span).catch((error: unknown) => {
    if (error instanceof TooManyRows && span.from < span.to) return null;
    throw error;
  });
  if (days === null) {
    const [older, newer] = halves(span);
    return (await mirrored(run, access, older, () => {})) && mirrored(run, access, newer, also);
  }
  return run.write(async () => {
    const place = [run.organisation.id, run.payload.account_id];
    if (!(await queryOne(LOCK, place))) return false;
    storeDays(run.payload.account_id, span, days);
    also(place);
    return true;
  });
}

/** Reads an account's last days of figures and changes (marketing-ads §3.11). */
export async function syncAccount(run: AccountRun): Promise<void> {
  const account = await found(run);
  if (!account) return;
  try {
    const open = await opened(run, account);
    if (!open) return;
    const { access, today, syncedOn } = open;
    for (const span of nightlySpans(today, isoWeekday(today) === SUNDAY, syncedOn)) {
      const isLast = addDays(span.to, 1) === today;
      if (!(await mirrored(run, access, span, (place) => isLast && enqueue(SYNCED, place)))) return;
    }
    await mirrorChanges(run, access, today);
  } catch (error) {
    await failed(run, error);
  }
}

/** Stores recent changes, each answer as it arrives. If the provider refuses the change log, the figures stay stored (S3). */
async function mirrorChanges(run: AccountRun, access: AdsAccess, today: string): Promise<void> {
  try {
    await readChanges(access, today, (changes) =>
      run.write(async () => {
        if (await queryOne(LOCK, [run.organisation.id, run.payload.account_id])) storeChanges(run.payload.account_id, changes);
      }),
    );
  } catch (error) {
    if (!(error instanceof AdsFailure)) throw error;
    run.logger?.warn(
      { event: "advertising.changes_not_read" },
      `changes of account ${run.payload.account_id} were not all read: ${error.message}`,
    );
  }
}

/**
 * Reads the 800 days before today in chunks, newest first, and marks the account as complete after the last chunk. After an aborted run,
 * the next one resumes after the last stored chunk (S2).
 */
export async function backfillAccount(run: AccountRun): Promise<void> {
  const account = await found(run);
  if (!account || account.backfilled_at !== null) return;
  try {
    const open = await opened(run, account);
    if (!open) return;
    const { access, today } = open;
    let from = account.backfilled_from;
    for (let chunk = nextChunk(today, from); chunk; chunk = nextChunk(today, from)) {
      const { from: first } = chunk;
      const isThere = await mirrored(run, access, chunk, (place) => {
        enqueue(CHUNK_STORED, [...place, first]);
        enqueue(addDays(chunk.to, 1) === today ? SYNCED : RECOVERED, place);
      });
      if (!isThere) return;
      from = first;
    }
    await run.write(async () => enqueue(COMPLETE, [run.organisation.id, account.id]));
  } catch (error) {
    await failed(run, error);
  }
}
