import { type Statement, statement } from "../../../core/database/statement.ts";
import { clientOfAny } from "../../../core/declare/records.ts";
import { dueSoonDays, joinPreferences, ruleOf, scopeRow } from "../preferences/resolution.ts";
import { clockTable, slot } from "../slots/slots.ts";

/** The client of the record of event `e`. */
const CLIENT = clientOfAny({ organisation: "$1", kind: "e.entity_type", id: "e.entity_id" });

/** Who is to hear of each event before it is asked who may: the named, and who follows the record, without who muted it. */
const HEARD = `select e.id as event_id, x.account_id, x.named from event e cross join lateral (
      select h.account_id, bool_or(h.named) as named from (
        select n.account_id, true as named, true as hears from unnest(e.named) n(account_id)
        union all
        select w.account_id, false, w.watching from notification_watches w where w.organisation_id = $1
          and w.entity_id = e.entity_id and w.entity_type = e.entity_type and (e.followed or not w.watching)) h
      where h.account_id <> all(e.excluded) group by h.account_id having bool_and(h.hears)) x`;

/** Staff hear of the clients they see, and of what is no client's. */
const SEES_CLIENT = `(e.company_id is null or m.selection is null
    or exists (select from selected_companies(m.selection) c where c = e.company_id))`;
/** Whoever follows a record without being named hears of it as long as they may read it. */
const MAY_READ = `(h.named or e.is_person and e.entity_id = m.account_id
    or exists (select from members_holding($1, e.readers) r where r = m.membership_id))`;

/**
 * The row of the same burst as row `t` of `told`, on `moment` `m`. It is looked up for each: a plan made while there were few rows would
 * join what is unread in the whole organisation.
 */
const BURST = `select n.id from notifications n where n.organisation_id = $1 and n.entity_id = t.entity_id and n.event_type = t.event_type
      and n.account_id = t.account_id and n.entity_type = t.entity_type and n.read_at is null and n.visible_at > m.at offset 0`;

/** Quiet hours, from SQL of a general row. */
const quietHours = (general: string) => ({
  start: `(${general} ->> 'quiet_hours_start')::time`,
  end: `(${general} ->> 'quiet_hours_end')::time`,
});
const timesOf = (row: string) => `(${row} ->> 'digest_time')::time as time, (${row} ->> 'digest_weekday')::int as weekday`;
/** The columns of something that is to be sent, from SQL of its rule and of the row that has its times. */
const sending = (rule: string, times: string) =>
  `${rule} ->> 'digest' as digest, (${rule} ->> 'delay_minutes')::int as delay, ${timesOf(times)}`;
const CHANNEL = "r.digest, r.delay_minutes as delay, c.digest_time::time as time, c.digest_weekday as weekday";
const CHANNELS = `notification_channel_routes r join notification_channels c
        on c.organisation_id = $1 and c.id = r.channel_id and c.enabled`;

/** Whether one of the records `$2` of the organisation `$1` has a follower beside the account `$3`: else only those named hear of it. */
export const FOLLOWED: Statement = statement(`select 1 from notification_watches w
  where w.organisation_id = $1 and w.entity_id = any($2::uuid[]) and w.watching and w.account_id is distinct from $3 limit 1`);

const NOTED =
  "insert into notification_events (id, organisation_id, event_type, entity_type, entity_id, actor_account_id, actor_name, payload)";
/** The activity of the record alone, for an event without an audience: `TELL` takes ten times as long only to begin. */
export const NOTE: Statement = statement(`${NOTED} values ($1, $2, $3, $4, $5, $6, $7, $8)`);
/** The same for several events; `$1` to `$4` as of `TELL`. */
export const NOTE_ALL: Statement = statement(`${NOTED}
  select e.id, $1, e.event_type, e.entity_type, e.entity_id, $3, $4, e.payload from jsonb_to_recordset($2::jsonb)
    e(id uuid, event_type text, entity_type text, entity_id uuid, payload jsonb)`);

/**
 * Tells all events of a transaction in one statement, whatever their audience (platform chapter §5.2): whom each reaches, by whose
 * preferences, when; the inbox rows, what is to be sent by each way, and the activity of the record. It is sent with the commit.
 *
 * `$1` organisation, `$2` events (`Occasion` with `built_in`), `$3` actor's account, `$4` actor's name, `$5`–`$7` the organisation's clock,
 * `$8` events whose cause follows the record.
 */
export const TELL: Statement = statement(`with ${clockTable(["$5", "$6", "$7"])},
  event as materialized (select e.*, ${CLIENT} as company_id from jsonb_to_recordset($2::jsonb) e(id uuid, event_type text, entity_type text,
    entity_id uuid, payload jsonb, named uuid[], excluded uuid[], followed boolean, readers text[], is_person boolean, lasting boolean, built_in jsonb)),
  following as (insert into notification_watches (organisation_id, entity_type, entity_id, account_id, watching)
    select distinct $1::uuid, e.entity_type, e.entity_id, $3::uuid, true from event e where $3::uuid is not null and e.event_type = any($8::text[])
    on conflict do nothing),
  heard as (${HEARD}),
  told as materialized (select e.id as event_id, e.event_type, e.entity_type, e.entity_id, m.account_id, s.at as visible_at,
      ${ruleOf("email_events")} as email_rule, ${scopeRow("email")} as email_times,
      ${ruleOf("push_events")} as push_rule, ${scopeRow("push")} as push_times, ${scopeRow("general")} as general,
      row_number() over (partition by m.account_id, e.event_type, e.entity_type, e.entity_id order by e.id desc) = 1 as is_last
    from heard h join event e on e.id = h.event_id
    join member_access m on m.organisation_id = $1 and m.account_id = h.account_id and m.is_live
    ${joinPreferences("$1", "m.account_id")}
    cross join lateral (select x.rule, ${sending("x.rule", "x.rule")} from (select ${ruleOf("events")} as rule) x) i
    cross join lateral ${slot({ digest: "i.digest", delay: "i.delay", time: "i.time", weekday: "i.weekday" })} s
    where (i.rule ->> 'enabled')::boolean and not m.is_client and ${SEES_CLIENT} and ${MAY_READ}
      and (e.event_type <> 'task.due_soon' or (e.payload ->> 'days_left')::int = ${dueSoonDays})),
  burst as (select b.id, t.event_id from told t cross join moment m cross join lateral (${BURST}) b where t.is_last),
  replaced as (update notifications n set event_id = b.event_id, version = n.version + 1, updated_at = statement_timestamp()
    from burst b where n.organisation_id = $1 and n.id = b.id returning n.account_id, n.event_id),
  fresh as (insert into notifications (organisation_id, account_id, event_id, event_type, entity_type, entity_id, visible_at)
    select $1, t.account_id, t.event_id, t.event_type, t.entity_type, t.entity_id, t.visible_at from told t, moment m
     where (t.is_last or t.visible_at <= m.at)
       and not exists (select from replaced r where r.account_id = t.account_id and r.event_id = t.event_id)
    returning id, account_id, event_id),
  lines as (insert into notification_events (id, organisation_id, event_type, entity_type, entity_id, actor_account_id, actor_name, payload)
    select e.id, $1, e.event_type, e.entity_type, e.entity_id, $3, $4, e.payload from event e
     where e.lasting or e.id in (select event_id from fresh union all select event_id from replaced)),
  due as (
    select 'email' as way, f.account_id, null::uuid as channel_id, f.id as notification_id, f.event_id,
        ${sending("t.email_rule", "t.email_times")}, t.general
      from fresh f join told t using (account_id, event_id) where (t.email_rule ->> 'enabled')::boolean
    union all
    select 'push', f.account_id, null, f.id, f.event_id, ${sending("t.push_rule", "t.push_times")}, t.general
      from fresh f join told t using (account_id, event_id) where (t.push_rule ->> 'enabled')::boolean
        and exists (select from notification_push_devices d where d.organisation_id = $1 and d.account_id = f.account_id)
    union all
    select 'channel', f.account_id, c.id, f.id, f.event_id, ${CHANNEL}, t.general
      from fresh f join told t using (account_id, event_id) join ${CHANNELS} on c.account_id = f.account_id
     where r.organisation_id = $1 and r.event_type = t.event_type and r.enabled
    union all
    select 'channel', null, c.id, null, e.id, ${CHANNEL}, o.general
      from event e join ${CHANNELS} on c.account_id is null
      left join notification_preferences o on o.organisation_id = $1 and o.account_id is null
     where r.organisation_id = $1 and r.event_type = e.event_type and r.enabled and e.id in (select event_id from fresh))
  insert into notification_deliveries (organisation_id, way, account_id, channel_id, notification_id, event_id, due_at)
  select $1, d.way, d.account_id, d.channel_id, d.notification_id, d.event_id, s.at from due d
    cross join lateral ${slot({ digest: "d.digest", delay: "d.delay", time: "d.time", weekday: "d.weekday", quiet: quietHours("d.general") })} s`);
