import { query } from "../../../core/database/query.ts";
import { JobFailure } from "../../../core/errors/job-failure.ts";
import { type Jobs, job, type OrganisationRun } from "../../../core/jobs/jobs.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { sources } from "../sources/registry.ts";
import { reachOf } from "../sources/source.ts";
import {
  backfillJob,
  isWeekly,
  type PacedLink,
  PERIOD_VALUES_JOB,
  type SyncPayload,
  scheduleForLinks,
  syncJob,
} from "./link-jobs.ts";
import { READABLE } from "./link-turn.ts";
import { activeLinks } from "./links.due.ts";
import { readSpanValues, type SpanPayload } from "./period-values.ts";
import { backfillLink, syncLink } from "./reading.ts";

/** Milliseconds before a job retries a link that another run reads. */
const HELD_WAIT = 15_000;
/** Longer than all calls of a run with all their retries. */
const LONGEST_RUN = 1_800_000;

/**
 * The readable links, and whether their backfill is complete: it was completed, and left out no day that the source reaches back to (`$2`)
 * up to the last read one.
 */
const TO_READ = statement(`select l.id, l.source, l.external_id, l.connection_id, l.website_id,
    l.backfill_done and l.read_days <> '{}'
      and l.read_days @> daterange(least($3::date - r.days, upper(l.read_days)), upper(l.read_days)) as is_complete
  from marketing_links l join jsonb_to_recordset($2::jsonb) r (source text, days int) on r.source = l.source
  where l.organisation_id = $1 and ${READABLE} order by l.id`);
const REACH = JSON.stringify([...sources.values()].map((source) => ({ source: source.key, days: reachOf(source) })));

type Nightly = PacedLink & { is_complete: boolean };

/** Enqueues the nightly run of every link, or the backfill if it is not complete (marketing-ads §2.10). */
async function queueLinks(run: OrganisationRun): Promise<void> {
  const links = await run.read(() => query<Nightly>(TO_READ, [run.organisation.id, REACH, run.today()]));
  const weekly = isWeekly(run.today());
  await run.write(async () => {
    scheduleForLinks(
      links.filter(({ is_complete }) => is_complete),
      ({ source }) => syncJob(source),
      ({ id }) => ({ link_id: id, weekly }),
    );
    scheduleForLinks(
      links.filter(({ is_complete }) => !is_complete),
      ({ source }) => backfillJob(source),
      ({ id }) => ({ link_id: id }),
    );
  });
}

/** Requeues the job while another run reads the link. @throws JobFailure */
function requireTurn(outcome: "held" | "over"): void {
  if (outcome === "held") throw new JobFailure("another run reads the link", HELD_WAIT);
}

/** The jobs of one source. Each source has its own concurrency slots, so a slow or unavailable one does not block the others. */
const jobsOf = (source: string): Jobs => ({
  [syncJob(source)]: job<SyncPayload>({
    about: `Reads the latest days of a link to ${source}`,
    module: "marketing",
    concurrency: 4,
    timeout: LONGEST_RUN,
    lock: 10_000,
    // A refusal by the source does not fail the run; only a link that another run reads is retried.
    retry: { attempts: 12, backoff: { first: 5_000, factor: 2, most: 300_000 } },
    handler: async (run) => requireTurn(await syncLink(run)),
  }),
  [backfillJob(source)]: job<{ link_id: string }>({
    about: `Reads the unread days that ${source} reaches back to`,
    module: "marketing",
    concurrency: 2,
    timeout: LONGEST_RUN,
    lock: 10_000,
    // If another run reads the link, the nightly job enqueues the rest of the backfill.
    handler: backfillLink,
  }),
});

/** Reads the figures of linked accounts (marketing-ads §2.10). */
export default service("marketing.sync", {
  actions: {},
  jobs: {
    "marketing.nightly": {
      about: "Queues the nightly run of every link to a metric source",
      module: "marketing",
      schedule: "45 4 * * *",
      due: activeLinks,
      // On Sundays it reads more: no midnight is between 04:45 and 05:00.
      spread: 14,
      handler: queueLinks,
    },
    ...Object.assign({}, ...[...sources.keys()].map(jobsOf)),
    [PERIOD_VALUES_JOB]: job<SpanPayload>({
      about: "Reads figures of a whole span that are not the sum of its days",
      module: "marketing",
      concurrency: 4,
      timeout: LONGEST_RUN,
      lock: 10_000,
      handler: async (run) => requireTurn(await readSpanValues(run)),
    }),
  },
});
