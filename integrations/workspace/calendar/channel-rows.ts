import { newId } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import { digest } from "../../../core/security/crypto.ts";

/** Hours before its end at which a channel is renewed (workspace §2.3). */
export const RENEWED_HOURS = 24;
/** Days after which a channel that nobody heard of has ended at Google, too. */
const LONGEST_DAYS = 8;

/** A push channel as it is stored. */
export interface ChannelRow {
  readonly id: string;
  /**
   * `opening`: Google was asked for it and may have it; `active`: it pushes; `lapsed`: it is no longer relied on, and is kept until there is
   * another one.
   */
  readonly status: "opening" | "active" | "lapsed";
  readonly secret_hash: Buffer;
  /** What it watches; known once Google has confirmed it. The same for all channels of one calendar. */
  readonly resource_id: string | null;
  readonly expires_at: string | null;
  /** Whether it lasts long enough not to be renewed now. */
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
const REMOVE_OLD = statement(`delete from workspace_calendar_channels where organisation_id = $1 and status <> 'active'
  and created_at < statement_timestamp() - interval '${LONGEST_DAYS} days' and coalesce(expires_at, created_at) < statement_timestamp()`);

const place = (connectionId: string) => [request().organisation.id, connectionId];

/** The channels of a connection, oldest first. */
export const channelsOf = (connectionId: string): Promise<ChannelRow[]> => query<ChannelRow>(ALL, place(connectionId));

/**
 * Stores a channel that Google is about to be asked for; the active one is no longer relied on. In a write.
 * @returns its id, undefined where the calendar is gone
 */
export async function storeOpening(connectionId: string, secret: string): Promise<string | undefined> {
  if (!(await queryOne(READ_ONCE, place(connectionId)))) return undefined;
  const id = newId();
  enqueue(LAPSE, [...place(connectionId), id]);
  enqueue(OPEN, [...place(connectionId), id, digest(secret)]);
  return id;
}

/** Stores what Google said of a channel that was being opened: in its answer, or in the first message where the answer was lost. In a write. */
export function confirmChannel(connectionId: string, id: string, resourceId: string, expiresAt: string): void {
  enqueue(LAPSE, [...place(connectionId), id]);
  enqueue(CONFIRM, [...place(connectionId), id, resourceId, expiresAt]);
}

/** Forgets channels that are no longer there. In a write. */
export const forgetChannels = (connectionId: string, ids: readonly string[]): void => {
  if (ids.length > 0) enqueue(REMOVE, [...place(connectionId), ids]);
};

/** Forgets channels that were never confirmed, or lapsed, and have ended at Google by now. In a write. */
export const forgetOldChannels = (): void => enqueue(REMOVE_OLD, [request().organisation.id]);
