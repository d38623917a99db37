import { joinPreferences, ruleOf, scopeRow, sending } from "../preferences/resolution.ts";
import { slot } from "../slots/slots.ts";

/** Quiet hours as SQL, from that of a general row. */
const quietHours = (general: string) => ({
  start: `(${general} ->> 'quiet_hours_start')::time`,
  end: `(${general} ->> 'quiet_hours_end')::time`,
});
const CHANNEL = "r.digest, r.delay_minutes as delay, c.digest_time::time as time, c.digest_weekday as weekday";
const CHANNELS = `notification_channel_routes r join notification_channels c
        on c.organisation_id = $1 and c.id = r.channel_id and c.enabled`;

/**
 * Common tables that queue the deliveries of the inbox rows in `fresh`: per person by e-mail, push and own channels, and per shared room once
 * per event (platform chapter §5.4 to §5.7). A row that replaced an earlier one's content is no longer new and is not sent again. All times
 * count from `moment`, the instant at which the rows are created. Reads `fresh`, `event` and `moment` of the statement of the audience, whose
 * `$1` is the organisation.
 */
export const QUEUED = `posted as materialized (
    select f.id, f.account_id, f.event_id, e.event_type,
        ${ruleOf("email_events")} as email_rule, ${scopeRow("email")} as email_times,
        ${ruleOf("push_events")} as push_rule, ${scopeRow("push")} as push_times, ${scopeRow("general")} as general
      from fresh f join event e on e.id = f.event_id
      ${joinPreferences("$1", "f.account_id")}),
  due as (
    select 'email' as way, f.account_id, null::uuid as channel_id, f.id as notification_id, f.event_id,
        ${sending("f.email_rule", "f.email_times")}, f.general
      from posted f where (f.email_rule ->> 'enabled')::boolean
    union all
    select 'push', f.account_id, null, f.id, f.event_id, ${sending("f.push_rule", "f.push_times")}, f.general
      from posted f where (f.push_rule ->> 'enabled')::boolean
        and exists (select from notification_push_devices d where d.organisation_id = $1 and d.account_id = f.account_id)
    union all
    select 'channel', f.account_id, c.id, f.id, f.event_id, ${CHANNEL}, f.general
      from posted f join ${CHANNELS} on c.account_id = f.account_id
     where r.organisation_id = $1 and r.event_type = f.event_type and r.enabled
    union all
    select 'channel', null, c.id, null, e.event_id, ${CHANNEL}, o.general
      from (select distinct f.event_id, f.event_type from posted f) e join ${CHANNELS} on c.account_id is null
      left join notification_preferences o on o.organisation_id = $1 and o.account_id is null
     where r.organisation_id = $1 and r.event_type = e.event_type and r.enabled),
  queued as (
    insert into notification_deliveries (organisation_id, way, account_id, channel_id, notification_id, event_id, due_at)
    select $1, d.way, d.account_id, d.channel_id, d.notification_id, d.event_id, s.at from due d
      cross join lateral ${slot({ digest: "d.digest", delay: "d.delay", time: "d.time", weekday: "d.weekday", quiet: quietHours("d.general") })} s)`;
