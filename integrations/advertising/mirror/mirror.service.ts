import { query } from "../../../core/database/query.ts";
import { job, type OrganisationRun, scheduleAll } from "../../../core/jobs/jobs.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { BACKFILL_JOB } from "../accounts/account-writes.ts";
import { IS_MIRRORED, mirroredAccounts } from "./accounts.due.ts";
import { backfillAccount, syncAccount } from "./mirroring.ts";

export const SYNC_JOB = "ads.accounts.sync";
/** Longer than all calls of a run with all their retries. */
const LONGEST_RUN = 1_800_000;
/** Milliseconds before another node takes over the job of a node that died. */
const LOCK = 10_000;

const TO_READ = statement(`select id, backfilled_at is null as is_open from ads_accounts
  where organisation_id = $1 and ${IS_MIRRORED} order by id`);

/** Enqueues the nightly run of every account, and the backfill of each account that has not completed it (marketing-ads §3.11). */
const queueAccounts = (run: OrganisationRun): Promise<void> =>
  run.write(async () => {
    const found = await query<{ id: string; is_open: boolean }>(TO_READ, [run.organisation.id]);
    const queued = (ids: typeof found) => ids.map(({ id }) => ({ payload: { account_id: id }, key: id, dedupe: id }));
    scheduleAll(SYNC_JOB, queued(found));
    scheduleAll(BACKFILL_JOB, queued(found.filter(({ is_open }) => is_open)));
  });

/** Mirrors the figures of advertising accounts, so that trends need no call to the provider (marketing-ads §3.11). */
export default service("ads-platform.mirror", {
  actions: {},
  jobs: {
    "ads.accounts.nightly": {
      about: "Queues the nightly run of every advertising account",
      module: "ads_platform",
      schedule: "15 5 * * *",
      due: mirroredAccounts,
      // Once a week it reads more: no midnight is between 05:15 and 05:55.
      spread: 40,
      handler: queueAccounts,
    },
    [SYNC_JOB]: job<{ account_id: string }>({
      about: "Reads the last days of an advertising account",
      module: "ads_platform",
      concurrency: 4,
      timeout: LONGEST_RUN,
      lock: LOCK,
      handler: syncAccount,
    }),
    [BACKFILL_JOB]: job<{ account_id: string }>({
      about: "Reads the past 800 days of an advertising account",
      module: "ads_platform",
      concurrency: 2,
      timeout: LONGEST_RUN,
      lock: LOCK,
      handler: backfillAccount,
    }),
  },
});
