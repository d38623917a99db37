import { clientOfAny } from "../../../core/declare/records.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";
import { dueSoonDays, joinPreferences, ruleOf, sending } from "../preferences/resolution.ts";
import { clockTable, slot } from "../slots/slots.ts";
import { QUEUED } from "./delivery-statement.ts";

/** The client of the record of event `e`, which is of one of these types. */
const clientOf = (types: ReadonlySet<string>): string =>
  clientOfAny({ organisation: "$1", kind: "e.entity_type", id: "e.entity_id" }, types);

/** Candidates before the access check: named recipients and followers, minus those who muted the record. */
const HEARD = `select e.id as event_id, x.account_id, x.named from event e cross join lateral (
      select h.account_id, bool_or(h.named) as named from (
        select n.account_id, true as named, true as hears from unnest(e.named) n(account_id)
        union all
        select w.account_id, false, w.watching from notification_watches w where w.organisation_id = $1
          and w.entity_id = e.entity_id and w.entity_type = e.entity_type and (e.followed or not w.watching)) h
      where h.account_id <> all(e.excluded) group by h.account_id having bool_and(h.hears)) x`;

/** Staff receive events of the clients they may see, and of records without a client. */
const SEES_CLIENT = `(e.company_id is null or m.selection is null
    or exists (select from selected_companies(m.selection) c where c = e.company_id))`;
/** Followers who are not named receive an event only while they may read the record. */
const MAY_READ = `(h.named or e.is_person and e.entity_id = m.account_id
    or exists (select from members_holding($1, e.readers) r where r = m.membership_id))`;

/**
 * The rows of the same burst as row `t` of `reached`, on `moment` `m`. Looked up per row: a plan made while the table was small would join
 * everything unread in the organisation.
 */
const BURST = `select n.id from notifications n where n.organisation_id = $1 and n.entity_id = t.entity_id and n.event_type = t.event_type
      and n.account_id = t.account_id and n.entity_type = t.entity_type and n.read_at is null and n.visible_at > m.at offset 0`;

/**
 * Whether any of the records `$2` of organisation `$1` has a follower other than account `$3`; if not, only named recipients count. Each
 * record is looked up: an array condition would compare every follower with each record of an import.
 */
export const FOLLOWED: Statement = statement(`select 1 from unnest($2::uuid[]) d(id)
  cross join lateral (select 1 from notification_watches w where w.organisation_id = $1 and w.entity_id = d.id and w.watching
    and w.account_id is distinct from $3 limit 1) w limit 1`);

const NOTED =
  "insert into notification_events (id, organisation_id, event_type, entity_type, entity_id, actor_account_id, actor_name, payload)";
/** Stores only a record's activity, for an event without an audience: the statement of an audience takes ten times as long just to start. */
export const NOTE: Statement = statement(`${NOTED} values ($1, $2, $3, $4, $5, $6, $7, $8)`);
/** The same for several events; `$1` to `$4` as in `inboxFor`. */
export const NOTE_ALL: Statement = statement(`${NOTED}
  select e.id, $1, e.event_type, e.entity_type, e.entity_id, $3, $4, e.payload from jsonb_to_recordset($2::jsonb)
    e(id uuid, event_type text, entity_type text, entity_id uuid, payload jsonb)`);

/** The actor follows the records of the events `$8`. */
const FOLLOWING = `
  following as (insert into notification_watches (organisation_id, entity_type, entity_id, account_id, watching)
    select distinct $1::uuid, e.entity_type, e.entity_id, $3::uuid, true from event e where $3::uuid is not null and e.event_type = any($8::text[])
    on conflict do nothing),`;

/**
 * Finds the audience of a transaction's events and writes their inbox rows (platform chapter §5.2), whatever the audience's size. `heard`
 * has the candidates, `reached` those with access and interest, `replaced` and `fresh` their rows, `queued` the deliveries of the fresh ones;
 * finally it stores the record's activity. Runs with the commit.
 * `$1` organisation, `$2` events (`Occasion` with `built_in`), `$3` actor's account, `$4` actor's name, `$5`–`$7` the organisation's clock,
 * and `$8` events whose actor follows the record, if there are any.
 * PostgreSQL opens and locks the tables of a statement each time it runs it: of all types of records that was most of its cost.
 */
const inboxOf = (types: ReadonlySet<string>, begins: boolean): string => `with ${clockTable(["$5", "$6", "$7"])},
  event as materialized (select e.*, ${clientOf(types)} as company_id from jsonb_to_recordset($2::jsonb) e(id uuid, event_type text, entity_type text,
    entity_id uuid, payload jsonb, named uuid[], excluded uuid[], followed boolean, readers text[], is_person boolean, lasting boolean, built_in jsonb)),${begins ? FOLLOWING : ""}
  heard as (${HEARD}),
  reached as materialized (select e.id as event_id, e.event_type, e.entity_type, e.entity_id, m.account_id, s.at as visible_at,
      row_number() over (partition by m.account_id, e.event_type, e.entity_type, e.entity_id order by e.id desc) = 1 as is_last
    from heard h join event e on e.id = h.event_id
    join member_access m on m.organisation_id = $1 and m.account_id = h.account_id and m.is_live
    ${joinPreferences("$1", "m.account_id")}
    cross join lateral (select x.rule, ${sending("x.rule", "x.rule")} from (select ${ruleOf("events")} as rule) x) i
    cross join lateral ${slot({ digest: "i.digest", delay: "i.delay", time: "i.time", weekday: "i.weekday" })} s
    where (i.rule ->> 'enabled')::boolean and not m.is_client and ${SEES_CLIENT} and ${MAY_READ}
      and (e.event_type <> 'task.due_soon' or (e.payload ->> 'days_left')::int = ${dueSoonDays})),
  burst as (select b.id, t.event_id from reached t cross join moment m cross join lateral (${BURST}) b where t.is_last),
  replaced as (update notifications n set event_id = b.event_id, version = n.version + 1, updated_at = statement_timestamp()
    from burst b where n.organisation_id = $1 and n.id = b.id returning n.account_id, n.event_id),
  fresh as (insert into notifications (organisation_id, account_id, event_id, event_type, entity_type, entity_id, visible_at)
    select $1, t.account_id, t.event_id, t.event_type, t.entity_type, t.entity_id, t.visible_at from reached t, moment m
     where (t.is_last or t.visible_at <= m.at)
       and not exists (select from replaced r where r.account_id = t.account_id and r.event_id = t.event_id)
    returning id, account_id, event_id),
  ${QUEUED}
  insert into notification_events (id, organisation_id, event_type, entity_type, entity_id, actor_account_id, actor_name, payload)
  select e.id, $1, e.event_type, e.entity_type, e.entity_id, $3, $4, e.payload from event e
   where e.lasting or e.id in (select event_id from fresh union all select event_id from replaced)`;

const inboxes = new Map<string, Statement>();

/** The statement for events of records of these types. @param begins whether the actor of an event begins to follow its record */
export function inboxFor(types: ReadonlySet<string>, begins: boolean): Statement {
  const key = `${[...types].sort().join()} ${begins}`;
  let known = inboxes.get(key);
  if (!known) inboxes.set(key, (known = statement(inboxOf(types, begins))));
  return known;
}
