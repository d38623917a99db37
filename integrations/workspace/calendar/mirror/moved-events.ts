import { createHash } from "node:crypto";
import { wallInstant } from "../../../../core/calendar/calendar.ts";
import type { MirroredEvent } from "../../../../core/calendar/mirrored-event.ts";
import { enqueue, query, queryOne } from "../../../../core/database/query.ts";
import { type OrganisationRun, schedule } from "../../../../core/jobs/jobs.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { oneByOne, WRITE_JOB } from "../pull-jobs.ts";
import type { CachedEvent } from "../pulled-events.ts";
import { type MirroredKind, mirroredEventId, SOURCES } from "./mirror-key.ts";
import { AGAIN } from "./mirror-rows.ts";

/** Most events compared at a time. */
const AT_ONCE = 100;

/** Events as last written that nothing waits to change. What was written after a page was asked for is not in that page. */
const WRITTEN =
  statement(`select m.id, m.kind, m.source_id, m.mirror_key, m.generation, m.restored_hash, c.account_id from workspace_connections c
  join workspace_calendar_mirrors m on m.organisation_id = c.organisation_id and m.account_id = c.account_id and m.subject = c.subject
  where c.organisation_id = $1 and c.id = $2 and m.mirror_key = any($3::text[]) and m.status = 'done' and m.presence = 'there'
    and m.updated_at < $4::timestamptz`);
/** Writes an event again, unless the same change was put back before. */
const RESTORE = statement(`update workspace_calendar_mirrors m set content_hash = null, restored_hash = $3, ${AGAIN}
  where m.organisation_id = $1 and m.id = $2 and m.status = 'done' and m.restored_hash is distinct from $3 returning m.account_id`);
const AS_WRITTEN = statement(
  "update workspace_calendar_mirrors set restored_hash = null where organisation_id = $1 and id = any($2::uuid[])",
);

interface Written {
  id: string;
  kind: MirroredKind;
  source_id: string;
  mirror_key: string;
  generation: number;
  restored_hash: Buffer | null;
  account_id: string;
}

type Comparing = Pick<OrganisationRun, "read" | "write" | "call">;

const HAS_OFFSET = /(?:Z|[+-]\d\d:?\d\d)$/i;
/** The start and end of an event: dates of whole days, else instants in milliseconds. */
function bounds({ time, zone }: MirroredEvent): string {
  if (time.all_day) return `${time.start} ${time.end}`;
  const at = (text: string) => Date.parse(HAS_OFFSET.test(text) ? text : wallInstant(zone, text));
  return `${at(time.start)} ${at(time.end)}`;
}
const pulledBounds = ({ starts_at, ends_at, start_date, end_date }: CachedEvent): string =>
  starts_at === null || ends_at === null ? `${start_date} ${end_date}` : `${Date.parse(starts_at)} ${Date.parse(ends_at)}`;

const hashOf = (event: CachedEvent): Buffer =>
  createHash("sha256")
    .update(JSON.stringify([event.title.trim(), pulledBounds(event)]))
    .digest();

/** Has the event of a record written again, and notifies its owner, once for the same change. */
async function restore(run: Comparing, row: Written, event: MirroredEvent, pulled: CachedEvent): Promise<void> {
  await run.write(async () => {
    const place = [request().organisation.id, row.id, hashOf(pulled)];
    const restored = await queryOne<{ account_id: string }>(RESTORE, place);
    if (!restored) return;
    const { account_id: owner } = restored;
    schedule(WRITE_JOB, { account_id: owner }, oneByOne(owner));
    emit("workspace.event_restored", "workspace_connection", owner, {
      user_id: owner,
      title: event.title,
      kind: row.kind,
      recipients: [owner],
    });
  });
}

/**
 * Compares pulled events of this service with their records (workspace §2.3). A planned block that its owner moved moves, if the owner may
 * write it. Any other change of a text or a time is put back, once.
 * @param askedAt when the oldest of these events was asked for, ISO 8601
 */
export async function compareOwnEvents(
  run: Comparing,
  connectionId: string,
  pulled: readonly CachedEvent[],
  askedAt: string,
): Promise<void> {
  const own = pulled.filter(
    (event) => event.mirror_key !== null && event.recurring_event_id === null && event.status !== "cancelled",
  );
  for (let at = 0; at < own.length; at += AT_ONCE) await compare(run, connectionId, own.slice(at, at + AT_ONCE), askedAt);
}

async function compare(run: Comparing, connectionId: string, own: readonly CachedEvent[], askedAt: string): Promise<void> {
  const rows = await run.read(() =>
    query<Written>(WRITTEN, [request().organisation.id, connectionId, own.map(({ mirror_key }) => mirror_key), askedAt]),
  );
  const asWritten: string[] = [];
  for (const [kind, some] of Map.groupBy(rows, (row) => row.kind)) {
    const body = { ids: some.map(({ source_id }) => source_id) };
    const events = new Map((await run.call<MirroredEvent[]>(SOURCES[kind], { body })).map((event) => [event.source_id, event]));
    for (const row of some) {
      const event = events.get(row.source_id);
      const there = own.find(({ event_id }) => event_id === mirroredEventId(row.mirror_key, row.generation));
      if (!event || !there || event.user_id !== row.account_id) continue;
      const isRenamed = there.title.trim() !== event.title.trim();
      const isMoved = pulledBounds(there) !== bounds(event);
      if (!isRenamed && !isMoved) {
        if (row.restored_hash !== null) asWritten.push(row.id);
      } else if (!(isMoved && !isRenamed && (await moved(run, row, there)))) await restore(run, row, event, there);
    }
  }
  if (asWritten.length > 0) await run.write(async () => enqueue(AS_WRITTEN, [request().organisation.id, asWritten]));
}

/** Moves the planned block of an event that its owner moved. @returns whether it could be */
async function moved(
  run: Comparing,
  { kind, source_id, account_id }: Written,
  { starts_at, ends_at }: CachedEvent,
): Promise<boolean> {
  if (kind !== "schedule" || starts_at === null || ends_at === null) return false;
  return run.call<boolean>("tasks.mirror.move", { body: { schedule_id: source_id, user_id: account_id, starts_at, ends_at } });
}
