import { clearSome } from "../../../../core/clearing/clear.ts";
import { newId } from "../../../../core/database/model.ts";
import { enqueue, query } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { oldRows } from "../../../../core/sql/old-rows.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { shortened } from "../../../../core/values/stored-text.ts";
import { CALENDAR_CONNECTIONS, HAS_CALENDAR, holdsCalendar } from "../calendar-connections.ts";
import { MIRROR_DAYS } from "../calendars.due.ts";
import { type MirroredKind, mirrorKey } from "./mirror-key.ts";

/** Attempts before an event fails permanently, until its record changes again (workspace §2.3). */
export const MOST_ATTEMPTS = 5;
/** Most events per read of the queue. */
const PAGE = 50;
const LONGEST_ERROR = 500;

/** The event of one record in one person's calendar. */
export interface MirrorRow {
  readonly id: string;
  readonly kind: MirroredKind;
  readonly source_id: string;
  readonly mirror_key: string;
  readonly generation: number;
  /** Google's id of the person whose calendar has it. */
  readonly subject: string | null;
  /** `asked`: Google received a request to store it and may have done so. */
  readonly presence: "absent" | "asked" | "there";
  readonly content_hash: Buffer | null;
  readonly revision: number;
}

/** A change of a record that can have an event. */
export interface MirroredChange {
  kind: MirroredKind;
  sourceId: string;
  /** The owner of the event's calendar; null if the record no longer has an event. */
  owner: string | null;
}

/** SQL: connections that events are queued for, including broken ones that their owners can repair. */
const WRITABLE = `select from workspace_connections c join workspace_settings s on s.organisation_id = c.organisation_id and s.calendar_enabled
  where c.organisation_id = $1 and c.account_id = $5 and ${holdsCalendar("c.scopes")}`;
/** SQL: queues an event again, on alias `m`. */
export const AGAIN = `status = 'pending', attempts = 0, last_error = null, revision = m.revision + 1, queued_at = statement_timestamp(),
  updated_at = statement_timestamp()`;
/** Queues the owner's event, and the record's leftover events in other people's calendars. */
const QUEUE = statement(`with own as (
    insert into workspace_calendar_mirrors as m (id, organisation_id, kind, source_id, account_id, mirror_key)
    select $2::uuid, $1, $3, $4::uuid, $5::uuid, $6 where $5::uuid is not null and (exists (${WRITABLE}) or exists (
      select from workspace_calendar_mirrors k where k.organisation_id = $1 and k.kind = $3 and k.source_id = $4 and k.account_id = $5))
    on conflict (organisation_id, kind, source_id, account_id) do update set ${AGAIN}
    returning m.account_id),
  others as (
    update workspace_calendar_mirrors m set ${AGAIN}
    where m.organisation_id = $1 and m.kind = $3 and m.source_id = $4 and m.account_id is distinct from $5::uuid
      and (m.presence <> 'absent' or m.status = 'pending')
    returning m.account_id)
  select account_id from own union select account_id from others`);
/** Queues events that were never written because the person was not connected. */
const QUEUE_NEW = statement(`insert into workspace_calendar_mirrors (id, organisation_id, kind, source_id, account_id, mirror_key)
  select t.id, $1, $2, t.source_id, $3, t.mirror_key from unnest($4::uuid[], $5::uuid[], $6::text[]) as t (id, source_id, mirror_key)
  on conflict (organisation_id, kind, source_id, account_id) do nothing`);
const WAITING = statement(`select id, kind, source_id, mirror_key, generation, subject, presence, content_hash, revision
  from workspace_calendar_mirrors where organisation_id = $1 and account_id = $2 and status = 'pending' and id <> all($3::uuid[])
  order by queued_at, id limit ${PAGE}`);
const OWNERS = statement(`select c.account_id from ${CALENDAR_CONNECTIONS} where ${HAS_CALENDAR} and exists (
    select from workspace_calendar_mirrors m where m.organisation_id = c.organisation_id and m.account_id = c.account_id and m.status = 'pending')
  order by c.account_id`);
const ASK = statement(`update workspace_calendar_mirrors set presence = 'asked', generation = $3, subject = $4, content_hash = $5,
    updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2`);
const SETTLE = statement(`update workspace_calendar_mirrors set presence = $4, generation = $5, subject = $6, content_hash = $7,
    names = coalesce($8::text[], names), status = case when revision = $3 then 'done' else status end, attempts = 0, last_error = null, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2`);
/** Deletes the cached copies of a removed event, which its row no longer hides. */
const UNCACHE = statement(`delete from workspace_calendar_events e using workspace_connections c
  where c.organisation_id = $1 and c.account_id = $2 and e.organisation_id = $1 and e.connection_id = c.id and e.mirror_key = $3`);
const FAIL = statement(`update workspace_calendar_mirrors set attempts = attempts + 1, last_error = $4,
    status = case when revision = $3 and attempts + 1 >= ${MOST_ATTEMPTS} then 'failed' else status end, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2`);
const NOTE = statement(`update workspace_calendar_mirrors set last_error = $3, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2`);
/** After a person connects: requeues failed events and those in the calendar of another Google account. */
const REVIVE = statement(`update workspace_calendar_mirrors m set ${AGAIN}
  where m.organisation_id = $1 and m.account_id = $2 and (m.status = 'failed' or (m.presence <> 'absent' and m.subject is distinct from $3))`);

const REMOVED = oldRows({
  table: "workspace_calendar_mirrors",
  age: "r.updated_at",
  kept: `${MIRROR_DAYS} days`,
  also: "r.status = 'done' and r.presence = 'absent'",
});

/** Queues the event of a changed record. Runs in a write transaction. @returns the people whose calendars must be written now */
export async function queueMirror({ kind, sourceId, owner }: MirroredChange): Promise<string[]> {
  const key = owner === null ? null : mirrorKey(kind, sourceId, owner);
  const values = [request().organisation.id, newId(), kind, sourceId, owner, key];
  return (await query<{ account_id: string }>(QUEUE, values)).map(({ account_id }) => account_id);
}

/** Queues events for a person's records that have none yet. Runs in a write transaction. */
export function queueNewMirrors(kind: MirroredKind, accountId: string, sourceIds: readonly string[]): void {
  if (sourceIds.length === 0) return;
  const keys = sourceIds.map((id) => mirrorKey(kind, id, accountId));
  enqueue(QUEUE_NEW, [request().organisation.id, kind, accountId, sourceIds.map(newId), sourceIds, keys]);
}

/** The events waiting for a person's calendar, oldest first. @param except rows that this run has tried already */
export const waitingMirrors = (accountId: string, except: readonly string[]): Promise<MirrorRow[]> =>
  query<MirrorRow>(WAITING, [request().organisation.id, accountId, except]);

/** The people with waiting events whose calendars can be written now. */
export const waitingOwners = async (): Promise<string[]> =>
  (await query<{ account_id: string }>(OWNERS, [request().organisation.id])).map(({ account_id }) => account_id);

/** The current or requested location of an event. */
export interface MirrorPlace {
  readonly generation: number;
  readonly subject: string;
  readonly hash: Buffer;
}

/** Records an event before it is requested from Google, so that a retry after a lost answer is recognised. Runs in a write transaction. */
export const noteAsked = ({ id }: MirrorRow, { generation, subject, hash }: MirrorPlace): void =>
  enqueue(ASK, [request().organisation.id, id, generation, subject, hash]);

const settle = ({ id, revision }: MirrorRow, ...values: unknown[]): void =>
  enqueue(SETTLE, [request().organisation.id, id, revision, ...values]);

/**
 * Records that the event is in the calendar; an event whose record changed meanwhile stays queued. Runs in a write transaction.
 * @param names the records that its text names
 */
export const noteThere = (row: MirrorRow, { generation, subject, hash }: MirrorPlace, names: readonly string[]): void =>
  settle(row, "there", generation, subject, hash, names);

/**
 * Records that the event is not in the calendar. Runs in a write transaction.
 * @param removed whether it was deleted just now, which uses up its id
 */
export function noteAbsent(row: MirrorRow, accountId: string, removed: boolean): void {
  settle(row, "absent", removed ? row.generation + 1 : row.generation, row.subject, null, null);
  if (removed) enqueue(UNCACHE, [request().organisation.id, accountId, row.mirror_key]);
}

/** Counts a failed attempt; the fifth is the last. Runs in a write transaction. @param why redacted */
export const noteFailed = ({ id, revision }: MirrorRow, why: string): void =>
  enqueue(FAIL, [request().organisation.id, id, revision, shortened(why, LONGEST_ERROR)]);

/** Records why an event stays queued, without counting an attempt. Runs in a write transaction. @param why redacted */
export const noteWaiting = ({ id }: MirrorRow, why: string): void =>
  enqueue(NOTE, [request().organisation.id, id, shortened(why, LONGEST_ERROR)]);

/** Requeues events for a person who has connected. Runs in a write transaction. @param subject Google's id of the person */
export const reviveMirrors = (accountId: string, subject: string): void =>
  enqueue(REVIVE, [request().organisation.id, accountId, subject]);

/** Deletes the rows of events removed long ago. Runs in a write transaction. */
export const forgetOldMirrors = (): void => clearSome(REMOVED);
