import { createHash } from "node:crypto";
import { isoWeekday } from "../../../core/calendar/calendar.ts";
import { type JobsToSchedule, type ScheduleOptions, schedule, scheduleAll } from "../../../core/jobs/jobs.ts";
import type { MarketingLinkRow } from "../models.ts";

/** Reads the latest days of one link; its payload is `SyncPayload`. Each source has a job of its own, so that a slow one holds up no other. */
export const syncJob = (source: string): string => `marketing.sync.${source}`;
/** Reads the 400 days before a link; its payload is `{ link_id }`. */
export const backfillJob = (source: string): string => `marketing.backfill.${source}`;
/** Fetches the value of a span that is not stored yet; its payload is `{ link_id, start, end }`. */
export const PERIOD_VALUES_JOB = "marketing.period_values";

/** `weekly`: days that the source restates late are read again. */
export type SyncPayload = { link_id: string; weekly: boolean };

const SUNDAY = 7;
/** Whether the night of this day reads again what sources restate late. */
export const isWeekly = (today: string): boolean => isoWeekday(today) === SUNDAY;

/** Runs at once of one source with one person's grant or one key, over all nodes. */
const LANES = 2;
/** Milliseconds between a new link and its backfill (marketing-ads §2.2). */
const DEFERRED = 5_000;

/** What decides how a link is paced. */
export type PacedLink = Pick<MarketingLinkRow, "id" | "source" | "external_id" | "connection_id" | "website_id">;

/** Jobs of one lane run one after another on whatever node; links to one account are in the same. */
function laneOf({ connection_id, website_id, external_id }: PacedLink): string {
  const number = (createHash("sha256").update(external_id).digest()[0] as number) % LANES;
  return `${connection_id ?? website_id ?? "key"} ${number}`;
}

const paced = (link: PacedLink): ScheduleOptions => ({ key: laneOf(link), dedupe: link.id });

/** Queues the backfill of a link, in the running transaction. */
export const scheduleBackfill = (link: PacedLink): void =>
  void schedule(backfillJob(link.source), { link_id: link.id }, { ...paced(link), runAt: new Date(Date.now() + DEFERRED) });

/** Queues the rest of a backfill that has taken its time. */
export const continueBackfill = (link: PacedLink): void =>
  void schedule(backfillJob(link.source), { link_id: link.id }, paced(link));

/** Queues one job for each of the links, in the running transaction and in one statement per source. */
export function scheduleForLinks<L extends PacedLink>(
  links: readonly L[],
  jobOf: (link: L) => string,
  payloadOf: (link: L) => JobsToSchedule[number]["payload"],
): void {
  for (const [name, some] of Map.groupBy(links, jobOf))
    scheduleAll(
      name,
      some.map((link) => ({ payload: payloadOf(link), ...paced(link) })),
    );
}
