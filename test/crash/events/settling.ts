import { setTimeout as delay } from "node:timers/promises";
import { TIMEOUT } from "../service.ts";
import type { Office } from "./office.ts";

/** No job of a name waits or runs: what only its runs hold was left by a node that died. */
const idle = (job: string) => `not exists (select from jobs.agenda_jobs where name = '${job}' and type = 'normal')
  and not exists (select from jobs.ordered o where o.name = '${job}') and not exists (select from outbox where job = '${job}')`;

/** Ends the waits of minutes and hours: failed work is due again, and a dead node's work is released. */
const HURRY = [
  "update notification_deliveries set due_at = now() where status = 'pending' and due_at > now()",
  `update notification_deliveries set claimed_at = now() - interval '6 min' where status = 'sending' and ${idle("notifications.deliver")}`,
  "update webhook_deliveries set next_attempt_at = now() where status = 'pending' and next_attempt_at > now()",
  "update jobs.agenda_jobs set next_run_at = now() where name = 'webhooks.wake' and next_run_at > now() and locked_at is null",
];
const SWEEP = `insert into outbox (id, organisation_id, job, payload, request_id)
  select gen_random_uuid(), m.organisation_id, 'automation.sweep', '{}', 'crash' from automation_matches m
   where m.created_at < now() - interval '5 sec' limit 1`;
const LEFT = `select (select count(*) from notification_deliveries where status in ('pending', 'sending'))::int
  + (select count(*) from webhook_deliveries where status = 'pending')::int
  + (select count(*) from automation_runs where status in ('pending', 'running'))::int
  + (select count(*) from automation_matches)::int
  + (select count(*) from outbox)::int + (select count(*) from jobs.ordered)::int
  + (select count(*) from jobs.agenda_jobs where type = 'normal')::int as left`;

/** Waits until all that was set off has come to an end, without the waits between attempts. Gives how much is left when the time is up. */
export async function settle({ database }: Pick<Office, "database">): Promise<number> {
  let left = -1;
  for (const deadline = Date.now() + 2 * TIMEOUT; left !== 0 && Date.now() < deadline; await delay(500))
    left = await database.asOwner(async (sql) => {
      for (const text of [...HURRY, SWEEP]) await sql.query(text);
      return (await sql.query<{ left: number }>(LEFT)).rows[0]?.left ?? -1;
    });
  return left;
}
