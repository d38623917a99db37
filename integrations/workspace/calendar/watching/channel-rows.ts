import { clearSome } from "../../../../core/clearing/clear.ts";
import { newId } from "../../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { digest } from "../../../../core/security/crypto.ts";
import { oldRows } from "../../../../core/sql/old-rows.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { LONGEST_DAYS, RENEWED_HOURS } from "../calendars.due.ts";

/** A stored push channel. */
export interface ChannelRow {
  readonly id: string;
  /**
   * `opening`: Google received a request for it and may have opened it. `active`: it pushes. `lapsed`: it is no longer relied on, and is
   * kept until another channel replaces it.
   */
  readonly status: "opening" | "active" | "lapsed";
  readonly secret_hash: Buffer;
  /** The watched resource; null until Google confirms the channel. All channels of a calendar share it. */
  readonly resource_id: string | null;
  readonly expires_at: string | null;
  /** Whether it lasts long enough to need no renewal now. */
  readonly lasts: boolean;
}

const OF_CONNECTION = "organisation_id = $1 and connection_id = $2";
const ALL = statement(`select id, status, secret_hash, resource_id, expires_at,
    coalesce(expires_at > statement_timestamp() + interval '${RENEWED_HOURS} hours', false) as lasts
  from workspace_calendar_channels where ${OF_CONNECTION} order by created_at, id`);
const READ_ONCE = statement("select 1 from workspace_calendars where organisation_id = $1 and connection_id = $2 for update");
const OPEN = statement(`insert into workspace_calendar_channels (organisation_id, connection_id, id, status, secret_hash)
  values ($1, $2, $3, 'opening', $4)`);
const LAPSE = statement(`update workspace_calendar_channels set status = 'lapsed', updated_at = statement_timestamp()
  where ${OF_CONNECTION} and status = 'active' and id <> $3`);
const CONFIRM = statement(`update workspace_calendar_channels set status = 'active', resource_id = $4, expires_at = $5,
    updated_at = statement_timestamp()
  where ${OF_CONNECTION} and id = $3 and status = 'opening'`);
const REMOVE = statement(`delete from workspace_calendar_channels where ${OF_CONNECTION} and id = any($3::uuid[])`);

const ENDED = oldRows({
  table: "workspace_calendar_channels",
  age: "r.created_at",
  kept: `${LONGEST_DAYS} days`,
  also: "r.status <> 'active' and coalesce(r.expires_at, r.created_at) < statement_timestamp()",
});

const place = (connectionId: string) => [request().organisation.id, connectionId];

/** The channels of a connection, oldest first. */
export const channelsOf = (connectionId: string): Promise<ChannelRow[]> => query<ChannelRow>(ALL, place(connectionId));

/**
 * Stores a channel before it is requested from Google, and marks the active one as lapsed. Runs in a write transaction.
 * @returns its id; undefined if the calendar no longer exists
 */
export async function storeOpening(connectionId: string, secret: string): Promise<string | undefined> {
  if (!(await queryOne(READ_ONCE, place(connectionId)))) return undefined;
  const id = newId();
  enqueue(LAPSE, [...place(connectionId), id]);
  enqueue(OPEN, [...place(connectionId), id, digest(secret)]);
  return id;
}

/**
 * Stores Google's confirmation of a new channel, from its answer or, if that was lost, from the first push message. Runs in a write
 * transaction.
 */
export function confirmChannel(connectionId: string, id: string, resourceId: string, expiresAt: string): void {
  enqueue(LAPSE, [...place(connectionId), id]);
  enqueue(CONFIRM, [...place(connectionId), id, resourceId, expiresAt]);
}

/** Deletes channels that no longer exist at Google. Runs in a write transaction. */
export const forgetChannels = (connectionId: string, ids: readonly string[]): void => {
  if (ids.length > 0) enqueue(REMOVE, [...place(connectionId), ids]);
};

/** Deletes channels that were never confirmed or have lapsed, once they have ended at Google. Runs in a write transaction. */
export const forgetOldChannels = (): void => clearSome(ENDED);
