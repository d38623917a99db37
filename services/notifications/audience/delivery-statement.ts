import { type Statement, statement } from "../../../core/sql/statement.ts";
import { joinPreferences, ruleOf, scopeRow, sending } from "../preferences/resolution.ts";
import { clockTable, slot } from "../slots/slots.ts";

/** Quiet hours as SQL, from that of a general row. */
const quietHours = (general: string) => ({
  start: `(${general} ->> 'quiet_hours_start')::time`,
  end: `(${general} ->> 'quiet_hours_end')::time`,
});
const CHANNEL = "r.digest, r.delay_minutes as delay, c.digest_time::time as time, c.digest_weekday as weekday";
const CHANNELS = `notification_channel_routes r join notification_channels c
        on c.organisation_id = $1 and c.id = r.channel_id and c.enabled`;

/**
 * Queues the deliveries for the inbox rows that `inboxFor` has just created: per person by e-mail, push and own channels, and per shared room
 * once per event (platform chapter §5.4 to §5.7). A row that replaced an earlier one's content is no longer new and is not sent again. All
 * times count from the instant the rows were created.
 * `$1` organisation, `$2` events (`Occasion` with `built_in`), `$3`–`$5` the organisation's clock.
 */
export const DELIVERIES: Statement = statement(`with
  fresh as materialized (
    select f.id, f.account_id, f.created_at, e.id as event_id, e.event_type,
        ${ruleOf("email_events")} as email_rule, ${scopeRow("email")} as email_times,
        ${ruleOf("push_events")} as push_rule, ${scopeRow("push")} as push_times, ${scopeRow("general")} as general
      from jsonb_to_recordset($2::jsonb) e(id uuid, event_type text, built_in jsonb)
     cross join lateral (select n.id, n.account_id, n.created_at from notifications n
        where n.organisation_id = $1 and n.event_id = e.id and n.version = 1 offset 0) f
      ${joinPreferences("$1", "f.account_id")}),
  ${clockTable(["$3", "$4", "$5"], "(select max(f.created_at) from fresh f)")},
  due as (
    select 'email' as way, f.account_id, null::uuid as channel_id, f.id as notification_id, f.event_id,
        ${sending("f.email_rule", "f.email_times")}, f.general
      from fresh f where (f.email_rule ->> 'enabled')::boolean
    union all
    select 'push', f.account_id, null, f.id, f.event_id, ${sending("f.push_rule", "f.push_times")}, f.general
      from fresh f where (f.push_rule ->> 'enabled')::boolean
        and exists (select from notification_push_devices d where d.organisation_id = $1 and d.account_id = f.account_id)
    union all
    select 'channel', f.account_id, c.id, f.id, f.event_id, ${CHANNEL}, f.general
      from fresh f join ${CHANNELS} on c.account_id = f.account_id
     where r.organisation_id = $1 and r.event_type = f.event_type and r.enabled
    union all
    select 'channel', null, c.id, null, e.event_id, ${CHANNEL}, o.general
      from (select distinct f.event_id, f.event_type from fresh f) e join ${CHANNELS} on c.account_id is null
      left join notification_preferences o on o.organisation_id = $1 and o.account_id is null
     where r.organisation_id = $1 and r.event_type = e.event_type and r.enabled)
  insert into notification_deliveries (organisation_id, way, account_id, channel_id, notification_id, event_id, due_at)
  select $1, d.way, d.account_id, d.channel_id, d.notification_id, d.event_id, s.at from due d
    cross join lateral ${slot({ digest: "d.digest", delay: "d.delay", time: "d.time", weekday: "d.weekday", quiet: quietHours("d.general") })} s`);
