import { queryUnbound } from "../../../core/database/connection/database.ts";
import { statement } from "../../../core/database/statement.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { nudgeOutbox } from "../../../core/jobs/outbox.ts";
import { service } from "../../../mixins/resource.ts";
import { type Bundle, claimDue, returnBundles } from "./claims.ts";
import { sendBundle } from "./send-bundle.ts";

const DUE = statement("select schedule_due_deliveries() as organisations");

/** Concurrent messages per way and organisation: channels that hang delay no mail. */
const AT_ONCE = 8;
/** Milliseconds after which a run starts no further message, equal to the polling interval; one message takes about ten seconds at most. */
const LONGEST = 15_000;

/** Sends everything due for one organisation. Leaves what it cannot finish in time to the next run. */
async function deliver(run: OrganisationRun): Promise<void> {
  const claimed = await run.write(claimDue);
  if (!claimed) return;
  const { bundles, around } = claimed;
  const queues = [...Map.groupBy(bundles, ({ way }) => way).values()].map((ofWay) => ofWay.values());
  const until = Date.now() + LONGEST;
  const sendAll = async (queue: ArrayIterator<Bundle>) => {
    while (Date.now() < until && !run.signal.aborted) {
      const next = queue.next();
      if (next.done) return;
      await sendBundle(run, next.value, around);
    }
  };
  await Promise.all(queues.flatMap((queue) => Array.from({ length: AT_ONCE }, () => sendAll(queue))));
  const left = queues.flatMap((queue) => [...queue].map(({ id }) => id));
  if (left.length > 0) await run.write(async () => returnBundles(left));
}

/** Delivers notifications outside the inbox, polling four times a minute (platform chapter §5.8). */
export default service("notifications.delivery", {
  actions: {},
  jobs: {
    "notifications.due": {
      about: "Looks for organisations with something to send",
      per: "installation",
      schedule: "*/15 * * * * *",
      timeout: 10_000,
      async handler() {
        const [row] = await queryUnbound<{ organisations: number }>(DUE);
        if (row?.organisations) nudgeOutbox();
      },
    },
    "notifications.deliver": {
      about: "Sends what is due by e-mail, push and channels",
      // Each organisation has its own run: hanging channels of one delay no other.
      concurrency: 30,
      timeout: 60_000,
      dedupe: "end",
      retry: { attempts: 2 },
      handler: deliver,
    },
  },
});
