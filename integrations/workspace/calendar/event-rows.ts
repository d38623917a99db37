import { newId } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { calendarConnection } from "./calendar-connections.ts";
import type { PulledEvents } from "./pulled-events.ts";

/** Days between full reads: only a full read brings new instances of endless series within the 365-day horizon. */
const FILL_DAYS = 30;

/** A run's turn to read one calendar. A run that has lost its turn writes nothing more. */
export interface PullTurn {
  readonly connectionId: string;
  readonly holder: string;
  /** Where the last pull ended; null to read everything into a new fill, while the old rows stay visible. */
  readonly syncToken: string | null;
  /** The id of the fill that this pull writes. */
  readonly fill: string;
}

const CALENDAR = "organisation_id = $1 and connection_id = $2";
const HELD = `${CALENDAR} and pulled_by = $3`;
/** Locks the turn until the transaction ends, so a takeover waits for the current write. */
const TURN = `turn as (select from workspace_calendars where ${HELD} for update)`;

const TAKE = statement(`insert into workspace_calendars as k (organisation_id, connection_id, pulled_by) values ($1, $2, $3)
  on conflict (organisation_id, connection_id) do update set pulled_by = excluded.pulled_by, updated_at = statement_timestamp()
  returning case when k.filled_at > statement_timestamp() - interval '${FILL_DAYS} days' then k.sync_token end as sync_token, k.fill`);
/** Deletes the rows that an aborted full read left behind. */
const CLEAR = statement(`delete from workspace_calendar_events e using workspace_calendars k
  where e.organisation_id = $1 and e.connection_id = $2 and k.organisation_id = $1 and k.connection_id = $2 and k.pulled_by = $3
    and e.fill is distinct from k.fill`);
const REMOVE =
  statement(`with ${TURN} delete from workspace_calendar_events where ${CALENDAR} and fill = $4 and exists (select from turn)
  and (event_id = any($5::text[]) or recurring_event_id = any($5::text[]))`);
const KEEP = statement(`with ${TURN} insert into workspace_calendar_events as e (organisation_id, connection_id, fill, event_id,
    recurring_event_id, mirror_key, status, title, html_link, is_free, starts_at, ends_at, start_date, end_date)
  select $1, $2, $4, n.event_id, n.recurring_event_id, n.mirror_key, n.status, n.title, n.html_link, n.is_free, n.starts_at, n.ends_at, n.start_date,
    n.end_date
  from jsonb_to_recordset($5::jsonb) n (event_id text, recurring_event_id text, mirror_key text, status text, title text, html_link text,
    is_free boolean, starts_at timestamptz, ends_at timestamptz, start_date date, end_date date)
  where exists (select from turn)
  on conflict (organisation_id, connection_id, fill, event_id) do update set recurring_event_id = excluded.recurring_event_id,
    mirror_key = excluded.mirror_key, status = excluded.status, title = excluded.title, html_link = excluded.html_link, is_free = excluded.is_free,
    starts_at = excluded.starts_at, ends_at = excluded.ends_at, start_date = excluded.start_date, end_date = excluded.end_date`);
const STILL = statement(`select 1 from workspace_calendars where ${HELD}`);
const FORGET_TOKEN = statement(
  `update workspace_calendars set sync_token = null, updated_at = statement_timestamp() where ${HELD}`,
);
const FINISH = statement(`update workspace_calendars set sync_token = $4, fill = $5,
    filled_at = case when fill is distinct from $5 then statement_timestamp() else filled_at end,
    last_synced_at = statement_timestamp(), last_error = null, pulled_by = null, updated_at = statement_timestamp()
  where ${HELD}`);
const EXCHANGE = statement(`delete from workspace_calendar_events e using workspace_calendars k
  where e.organisation_id = $1 and e.connection_id = $2 and k.organisation_id = $1 and k.connection_id = $2 and k.fill = $3
    and e.fill <> $3`);
const FAIL = statement(
  `update workspace_calendars set last_error = $4, pulled_by = null, updated_at = statement_timestamp() where ${HELD}`,
);

/** Another run took over this calendar, or the connection no longer exists. */
export class TurnLost extends Error {
  override name = "TurnLost";
}

const of = ({ connectionId, holder }: Pick<PullTurn, "connectionId" | "holder">) => [
  request().organisation.id,
  connectionId,
  holder,
];

/**
 * Takes over the turn to read a calendar. Runs in a write transaction.
 * @param anew whether to read everything again
 * @returns undefined if the calendar cannot be read now
 */
export async function takeTurn(connectionId: string, anew = false): Promise<PullTurn | undefined> {
  if (!(await calendarConnection(connectionId))) return undefined;
  const holder = newId();
  const row = await queryOne<{ sync_token: string | null; fill: string | null }>(TAKE, of({ connectionId, holder }));
  const syncToken = anew ? null : (row?.sync_token ?? null);
  const fill = syncToken === null ? newId() : (row?.fill as string);
  if (syncToken === null) enqueue(CLEAR, of({ connectionId, holder }));
  return { connectionId, holder, syncToken, fill };
}

/** Stores a page of events in at most two statements. Runs in a write transaction. @throws TurnLost */
export async function storeEvents(turn: PullTurn, { kept, gone }: PulledEvents): Promise<void> {
  if (gone.length > 0) enqueue(REMOVE, [...of(turn), turn.fill, gone]);
  if (kept.length > 0) enqueue(KEEP, [...of(turn), turn.fill, JSON.stringify(kept)]);
  if (!(await queryOne(STILL, of(turn)))) throw new TurnLost();
}

/** Drops the sync token, so that the next pull reads everything even if this one fails. Runs in a write transaction. */
export const forgetSyncToken = (turn: PullTurn): void => enqueue(FORGET_TOKEN, of(turn));

/** Ends a pull: its events replace the earlier ones. Runs in a write transaction. */
export function finishPull(turn: PullTurn, nextSyncToken: string | null): void {
  enqueue(FINISH, [...of(turn), nextSyncToken, turn.fill]);
  enqueue(EXCHANGE, [request().organisation.id, turn.connectionId, turn.fill]);
}

/** Records why a pull failed; the earlier events stay visible. Runs in a write transaction. @param why redacted, at most 500 characters */
export const failPull = (turn: PullTurn, why: string): void => enqueue(FAIL, [...of(turn), why]);
