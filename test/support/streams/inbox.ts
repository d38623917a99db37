import { randomUUID } from "node:crypto";
import type pg from "pg";

/** Values of an inbox row. */
interface Written {
  organisationId: string;
  accountId: string;
  title?: string;
  /** Seconds until it becomes visible. */
  after?: number;
}

/** Inserts inbox rows in one statement, as the role that owns the tables. Returns their ids. */
export async function notify(sql: pg.ClientBase, ...rows: Written[]): Promise<string[]> {
  const all = rows.map((row) => ({
    id: randomUUID(),
    event: randomUUID(),
    record: randomUUID(),
    title: "A task",
    after: 0,
    ...row,
  }));
  await sql.query(
    `with reported as (select * from jsonb_to_recordset($1) t(id uuid, event uuid, record uuid, "organisationId" uuid, "accountId" uuid, title text, after int)),
      events as (insert into notification_events (id, organisation_id, event_type, entity_type, entity_id, actor_name, payload)
        select event, "organisationId", 'task.assigned', 'task', record, 'A colleague', jsonb_build_object('title', title) from reported)
    insert into notifications (id, organisation_id, account_id, event_id, event_type, entity_type, entity_id, visible_at)
    select id, "organisationId", "accountId", event, 'task.assigned', 'task', record, statement_timestamp() + after * interval '1 second' from reported`,
    [JSON.stringify(all)],
  );
  return all.map(({ id }) => id);
}
