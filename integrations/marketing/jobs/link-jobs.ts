import { createHash } from "node:crypto";
import { isoWeekday } from "../../../core/calendar/calendar.ts";
import { type JobsToSchedule, type ScheduleOptions, schedule, scheduleAll } from "../../../core/jobs/jobs.ts";
import type { MarketingLinkRow } from "../models.ts";

/**
 * Reads the latest days of one link; the payload is `SyncPayload`. Each source has its own job, so a slow one does not block the others.
 */
export const syncJob = (source: string): string => `marketing.sync.${source}`;
/** Reads the unread days of a link; the payload is `{ link_id }`. */
export const backfillJob = (source: string): string => `marketing.backfill.${source}`;
/** Fetches the values of spans that are not stored yet; the payload is `SpanPayload`. */
export const PERIOD_VALUES_JOB = "marketing.period_values";

/** `weekly`: also re-read the days that the source restates late. */
export type SyncPayload = { link_id: string; weekly: boolean };

const SUNDAY = 7;
/** Whether this night's run re-reads the days that sources restate late. */
export const isWeekly = (today: string): boolean => isoWeekday(today) === SUNDAY;

/** Concurrent runs of one source per grant or key, over all nodes. */
const LANES = 2;
/** Milliseconds between a new link and its backfill (marketing-ads §2.2). */
const DEFERRED = 5_000;

/** The fields of a link that determine its order key. */
export type PacedLink = Pick<MarketingLinkRow, "id" | "source" | "external_id" | "connection_id" | "website_id">;

/** The order key of a link. Jobs with the same key run one after another, on any node; links to the same account share a key. */
function laneOf({ connection_id, website_id, external_id }: PacedLink): string {
  const number = (createHash("sha256").update(external_id).digest()[0] as number) % LANES;
  return `${connection_id ?? website_id ?? "key"} ${number}`;
}

const paced = (link: PacedLink): ScheduleOptions => ({ key: laneOf(link), dedupe: link.id });

/** Enqueues the backfill of a link in the running transaction. */
export const scheduleBackfill = (link: PacedLink): void =>
  void schedule(backfillJob(link.source), { link_id: link.id }, { ...paced(link), runAt: new Date(Date.now() + DEFERRED) });

/** Enqueues the rest of a backfill that used up its time budget. */
export const continueBackfill = (link: PacedLink): void =>
  void schedule(backfillJob(link.source), { link_id: link.id }, paced(link));

/** A span of a link whose value is not stored yet. */
export interface WantedValue {
  link_id: string;
  start: string;
  end: string;
}

/**
 * Enqueues one job per link in the running transaction, for all its spans together. The jobs of a link run one after another: each needs the
 * link for itself.
 */
export function scheduleValues(wanted: readonly WantedValue[]): void {
  const byLink = Map.groupBy(wanted, ({ link_id }) => link_id);
  const jobs = [...byLink].map(([link_id, values]) => {
    const spans = [...new Set(values.map(({ start, end }) => `${start}/${end}`))];
    return { payload: { link_id, spans }, key: link_id, dedupe: `${link_id} ${spans.join(" ")}` };
  });
  if (jobs.length > 0) scheduleAll(PERIOD_VALUES_JOB, jobs);
}

/** Enqueues one job per link in the running transaction, with one statement per source. */
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
