import { newId } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import { CALENDAR_CONNECTIONS, HAS_CALENDAR, holdsCalendar } from "./calendar-connections.ts";
import { type MirroredKind, mirrorKey } from "./mirror-key.ts";

/** Attempts after which an event has failed, until its record changes again (workspace §2.3). */
export const MOST_ATTEMPTS = 5;
/** Events of one look. */
const PAGE = 50;
/** Days that the row of a removed event is kept: until then its next life has the next id at once. */
const KEPT_DAYS = 60;
const LONGEST_ERROR = 500;

/** What the service writes of one record into one person's calendar. */
export interface MirrorRow {
  readonly id: string;
  readonly kind: MirroredKind;
  readonly source_id: string;
  readonly mirror_key: string;
  readonly generation: number;
  /** The person at Google whose calendar it is in. */
  readonly subject: string | null;
  /** `asked`: Google was asked to keep it and may do so. */
  readonly presence: "absent" | "asked" | "there";
  readonly content_hash: Buffer | null;
  readonly revision: number;
}

/** A change of a record that may have an event. */
export interface MirroredChange {
  kind: MirroredKind;
  sourceId: string;
  /** Whose calendar its event belongs into; null for a record that has none any more. */
  owner: string | null;
}

/** Connections that events are queued for: also those that are broken, which their owners may mend. */
const WRITABLE = `select from workspace_connections c join workspace_settings s on s.organisation_id = c.organisation_id and s.calendar_enabled
  where c.organisation_id = $1 and c.account_id = $5 and ${holdsCalendar("c.scopes")}`;
const AGAIN = `status = 'pending', attempts = 0, last_error = null, revision = m.revision + 1, queued_at = statement_timestamp(),
  updated_at = statement_timestamp()`;
/** The event of the owner, and those that the record has left in other calendars. */
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
/** What a person has that was never written, because nobody was connected. */
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
    status = case when revision = $3 then 'done' else status end, attempts = 0, last_error = null, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2`);
/** What is cached of an event that is gone: its row no longer hides it. */
const UNCACHE = statement(`delete from workspace_calendar_events e using workspace_connections c
  where c.organisation_id = $1 and c.account_id = $2 and e.organisation_id = $1 and e.connection_id = c.id and e.mirror_key = $3`);
const FAIL = statement(`update workspace_calendar_mirrors set attempts = attempts + 1, last_error = $4,
    status = case when revision = $3 and attempts + 1 >= ${MOST_ATTEMPTS} then 'failed' else status end, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2`);
const NOTE = statement(`update workspace_calendar_mirrors set last_error = $3, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2`);
/** After a person has connected: what had failed, and what is in the calendar of another Google account. */
const REVIVE = statement(`update workspace_calendar_mirrors m set ${AGAIN}
  where m.organisation_id = $1 and m.account_id = $2 and (m.status = 'failed' or (m.presence <> 'absent' and m.subject is distinct from $3))`);
const REMOVE_OLD =
  statement(`delete from workspace_calendar_mirrors where organisation_id = $1 and status = 'done' and presence = 'absent'
  and updated_at < statement_timestamp() - interval '${KEPT_DAYS} days'`);

/** Queues the event of a changed record. In a write. @returns the people whose calendars are written to now */
export async function queueMirror({ kind, sourceId, owner }: MirroredChange): Promise<string[]> {
  const key = owner === null ? null : mirrorKey(kind, sourceId, owner);
  const values = [request().organisation.id, newId(), kind, sourceId, owner, key];
  return (await query<{ account_id: string }>(QUEUE, values)).map(({ account_id }) => account_id);
}

/** Queues events of records that a person has, as far as they are not known yet. In a write. */
export function queueNewMirrors(kind: MirroredKind, accountId: string, sourceIds: readonly string[]): void {
  if (sourceIds.length === 0) return;
  const keys = sourceIds.map((id) => mirrorKey(kind, id, accountId));
  enqueue(QUEUE_NEW, [request().organisation.id, kind, accountId, sourceIds.map(newId), sourceIds, keys]);
}

/** What waits for a person's calendar, oldest first. @param except rows that this run has tried */
export const waitingMirrors = (accountId: string, except: readonly string[]): Promise<MirrorRow[]> =>
  query<MirrorRow>(WAITING, [request().organisation.id, accountId, except]);

/** The people for whose calendars something waits that can be written. */
export const waitingOwners = async (): Promise<string[]> =>
  (await query<{ account_id: string }>(OWNERS, [request().organisation.id])).map(({ account_id }) => account_id);

/** Where an event is, or is asked to be. */
export interface MirrorPlace {
  readonly generation: number;
  readonly subject: string;
  readonly hash: Buffer;
}

/** Notes what Google is about to be asked to keep: an answer that is lost is then recognised. In a write. */
export const noteAsked = ({ id }: MirrorRow, { generation, subject, hash }: MirrorPlace): void =>
  enqueue(ASK, [request().organisation.id, id, generation, subject, hash]);

const settle = ({ id, revision }: MirrorRow, ...values: unknown[]): void =>
  enqueue(SETTLE, [request().organisation.id, id, revision, ...values]);

/** Notes that an event is in the calendar. What has changed meanwhile waits on. In a write. */
export const noteThere = (row: MirrorRow, { generation, subject, hash }: MirrorPlace): void =>
  settle(row, "there", generation, subject, hash);

/** Notes that nothing is in the calendar. @param removed whether it was until now, so that its id is used up. In a write. */
export function noteAbsent(row: MirrorRow, accountId: string, removed: boolean): void {
  settle(row, "absent", removed ? row.generation + 1 : row.generation, row.subject, null);
  if (removed) enqueue(UNCACHE, [request().organisation.id, accountId, row.mirror_key]);
}

/** Notes a failed attempt; the fifth is the last. In a write. @param why redacted */
export const noteFailed = ({ id, revision }: MirrorRow, why: string): void =>
  enqueue(FAIL, [request().organisation.id, id, revision, why.slice(0, LONGEST_ERROR)]);

/** Notes why an event waits on, without an attempt. In a write. @param why redacted */
export const noteWaiting = ({ id }: MirrorRow, why: string): void =>
  enqueue(NOTE, [request().organisation.id, id, why.slice(0, LONGEST_ERROR)]);

/** Queues again what a person who has connected may now have. In a write. @param subject the person at Google */
export const reviveMirrors = (accountId: string, subject: string): void =>
  enqueue(REVIVE, [request().organisation.id, accountId, subject]);

/** Forgets events that were removed long ago. In a write. */
export const forgetOldMirrors = (): void => enqueue(REMOVE_OLD, [request().organisation.id]);
