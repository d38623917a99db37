import { queryUnbound } from "../../../core/database/connection/database.ts";
import { statement } from "../../../core/database/statement.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { nudgeOutbox } from "../../../core/jobs/outbox.ts";
import { service } from "../../../mixins/resource.ts";
import { type Bundle, claimDue, returnBundles } from "./claims.ts";
import { sendBundle } from "./send-bundle.ts";

const DUE = statement("select schedule_due_deliveries() as organisations");

/** Messages of one way and organisation under way at once: channels that hang keep no mail waiting. */
const AT_ONCE = 8;
/** After so many milliseconds, those to the next look, no further message is begun; one takes some ten seconds at most. */
const LONGEST = 15_000;

/** Sends everything due of one organisation. What its time does not suffice for is left to the next run. */
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

/** Takes what people are to hear to where they hear it, four times a minute (platform chapter §5.8). */
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
      // Each organisation has a run of its own: one whose channels hang keeps no other waiting.
      concurrency: 30,
      timeout: 60_000,
      dedupe: "end",
      retry: { attempts: 2 },
      handler: deliver,
    },
  },
});
