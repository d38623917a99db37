import { queryUnbound } from "../../../core/database/connection/database.ts";
import { columns } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { query } from "../../../core/database/query.ts";
import { UPDATED_UNTIL } from "../../../core/database/updated-until.ts";
import type { Organisation } from "../../../core/declare/principal.ts";
import { runRequest } from "../../../core/request/context.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { type Static, Type } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { NotificationRead } from "../inbox/notification-schemas.ts";
import { Notification } from "../models.ts";

/** A row of an inbox with `at`, when it became visible: ISO 8601 in UTC with microseconds, so that texts compare as instants do. */
export type NewsRow = Static<typeof NotificationRead> & { at: string };

/** An inbox and the rows that became visible in it. */
export interface InboxNews {
  account_id: string;
  unread: number;
  /** By instant and id. */
  rows: NewsRow[];
}

/** An inbox to poll. */
export interface PolledInbox {
  organisation: Organisation;
  accountId: string;
}

const shown = projection({
  model: Notification,
  schema: Type.Object({ ...NotificationRead.properties, at: Type.String() }),
  columns: {
    actor_name: "v.actor_name",
    payload: "v.payload",
    at: `to_char(t.visible_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  },
  joins: "join notification_events v on v.organisation_id = t.organisation_id and v.id = t.event_id",
});
const OF_INBOX = "t.organisation_id = $1 and t.account_id = a.account_id and t.visible_at <= statement_timestamp()";
const SINCE = `(select ${columns(Notification, "t")} from notifications t where ${OF_INBOX} and t.visible_at >= a.since)`;

const WITH_NEWS = statement("select organisation_id, account_id from inboxes_with_news($1::uuid[], $2::uuid[], $3::timestamptz)");
const NEWS = statement(`select a.account_id,
    (select count(*)::int from notifications t where ${OF_INBOX} and t.read_at is null) as unread,
    (select coalesce(json_agg(r order by r.at, r.id), '[]') from (${shown.rows(SINCE)}) r) as rows
  from unnest($2::uuid[], $3::timestamptz[]) a (account_id, since)`);

/**
 * The instant before which no row can still become visible unseen; read it before polling.
 * @param since the previous result
 */
export async function seenUntil(since: string): Promise<string> {
  const [row] = await queryUnbound<{ until: string }>(UPDATED_UNTIL, [since]);
  return row?.until ?? since;
}

/** The inboxes with rows that became visible or changed at or after an instant: one statement, whatever their number. */
export async function withNews(
  asked: readonly PolledInbox[],
  since: string,
): Promise<{ organisation_id: string; account_id: string }[]> {
  const [organisations, accounts] = [asked.map(({ organisation }) => organisation.id), asked.map(({ accountId }) => accountId)];
  return queryUnbound(WITH_NEWS, [organisations, accounts, since]);
}

/** Reads the news of one organisation's inboxes, each since its own instant: one statement within the organisation. */
export function newsOf(organisation: Organisation, accounts: readonly string[], since: readonly string[]): Promise<InboxNews[]> {
  return runRequest(systemRequest("notifications.live", organisation, "read"), () =>
    query<InboxNews>(NEWS, [organisation.id, accounts, since]),
  );
}
