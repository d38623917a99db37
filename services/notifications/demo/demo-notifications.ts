import type { DemoOrganisation } from "../../../core/declare/module.ts";

/** Notifications of the demo organisation's owner, newest first: event, hours ago, and whether it was read. */
const EXAMPLES = [
  ["company.assigned", 2, false],
  ["company.status_changed", 5, false],
  ["company.assigned", 26, false],
  ["company.status_changed", 50, true],
  ["company.created", 98, true],
] as const;

const FILL = `with owner as (select a.id from accounts a where a.email = $2),
  examples as (select t.n, t.event_type, t.hours, t.was_read, gen_random_uuid() as event_id
    from rows from (jsonb_to_recordset($3::jsonb) as (event_type text, hours int, was_read boolean)) with ordinality t(event_type, hours, was_read, n)),
  clients as (select c.id, c.name, row_number() over (order by c.client_number, c.id) as n from companies c
    where c.organisation_id = $1 and c.status = 'active' order by c.client_number, c.id limit ${EXAMPLES.length}),
  events as (insert into notification_events (id, organisation_id, event_type, entity_type, entity_id, actor_account_id, actor_name, payload, created_at)
    select t.event_id, $1, t.event_type, 'company', c.id, $4, $5,
        jsonb_build_object('company_id', c.id, 'title', c.name, 'status', 'active', 'from', 'onboarding', 'to', 'active', 'previous_status', 'onboarding'),
        now() - make_interval(hours => t.hours)
      from examples t join clients c using (n)
     where not exists (select from notifications where organisation_id = $1)
    returning id, event_type, entity_id, created_at)
  insert into notifications (organisation_id, account_id, event_id, event_type, entity_type, entity_id, visible_at, created_at, read_at)
  select $1, o.id, e.id, e.event_type, 'company', e.entity_id, e.created_at, e.created_at,
      case when t.was_read then e.created_at + interval '1 hour' end
    from events e join examples t on t.event_id = e.id cross join owner o`;

/** Fills the demo owner's inbox with events of its clients; a second run adds nothing. */
export async function fillInbox({ client, organisation, owner, colleagues }: DemoOrganisation): Promise<void> {
  const [colleague] = colleagues;
  const examples = EXAMPLES.map(([event_type, hours, was_read]) => ({ event_type, hours, was_read }));
  const values = [organisation.id, owner, JSON.stringify(examples), colleague?.id ?? null, colleague?.name ?? null];
  await client.query(FILL, values);
}
