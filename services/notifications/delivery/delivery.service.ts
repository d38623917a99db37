import { queryUnbound } from "../../../core/database/connection/database.ts";
import { drain } from "../../../core/jobs/drain.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { nudgeOutbox } from "../../../core/jobs/outbox.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { claimDue, returnBundles } from "./claims.ts";
import { sendBundle } from "./send-bundle.ts";

const DUE = statement("select schedule_due_deliveries() as organisations");

/** Concurrent messages per way and organisation: channels that hang delay no mail. */
const AT_ONCE = 8;
/** Milliseconds after which a run starts no further message: the polling interval. One message takes about ten seconds at most. */
const LONGEST = 15_000;

/** Sends everything due for one organisation. Requeues the messages that it does not start in time. */
async function deliver(run: OrganisationRun): Promise<void> {
  const claimed = await run.write(claimDue);
  if (!claimed) return;
  const { bundles, around } = claimed;
  const ways = [...Map.groupBy(bundles, ({ way }) => way).values()];
  const rules = { atOnce: AT_ONCE, longest: LONGEST, signal: run.signal };
  const unsent = await Promise.all(ways.map((ofWay) => drain(ofWay, rules, (bundle) => sendBundle(run, bundle, around))));
  const left = unsent.flat().map(({ id }) => id);
  if (left.length > 0) await run.write(async () => returnBundles(left));
}

/** Delivers notifications outside the inbox, polling four times a minute (platform chapter §5.8). */
export default service("notifications.delivery", {
  actions: {},
  jobs: {
    "notifications.due": {
      about: "Looks for organisations with due deliveries",
      per: "installation",
      schedule: "*/15 * * * * *",
      timeout: 10_000,
      async handler() {
        const [row] = await queryUnbound<{ organisations: number }>(DUE);
        if (row?.organisations) nudgeOutbox();
      },
    },
    "notifications.deliver": {
      about: "Sends due notifications by e-mail, push and channels",
      // Each organisation has its own run: the hanging channels of one delay no other.
      concurrency: 30,
      timeout: 60_000,
      dedupe: "end",
      retry: { attempts: 2 },
      handler: deliver,
    },
  },
});
