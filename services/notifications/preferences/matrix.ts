import { query } from "../../../core/database/query.ts";
import { callerId, mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { EVENTS_OF_INTEREST, MATRIX_EVENTS } from "./event-kinds.ts";
import {
  BUILT_IN_SCOPES,
  builtIn,
  dueSoonDays,
  joinPreferences,
  type RulesPart,
  ruleOf,
  ruleSource,
  type ScopePart,
  scopeRow,
  scopeSource,
} from "./resolution.ts";

/** The owner of preferences: a person, or the organisation (null). */
export interface Scope {
  readonly account: string | null;
  /** Whether the caller may see and route the scope's channels. */
  readonly routes: boolean;
}

/** The caller's own scope; its channels are the person's own. */
export const ownScope = (): Scope => ({
  account: callerId(),
  routes: callerId() !== null && mayCaller("notifications.channels.manage_own"),
});
/** The organisation's scope; its channels are the shared rooms (platform chapter §5.6). */
export const organisationScope = (): Scope => ({ account: null, routes: mayCaller("notifications.channels.manage") });

/** Channels on alias `c` of the scope `$2`, if `$3` allows seeing them. */
export const OF_SCOPE = "c.organisation_id = $1 and c.account_id is not distinct from $2::uuid and $3::boolean";

const fields = (part: RulesPart, prefix: string) => {
  const rule = ruleOf(part);
  return `'${prefix}enabled', ${rule} -> 'enabled', '${prefix}delay_minutes', ${rule} -> 'delay_minutes',
    '${prefix}digest', ${rule} -> 'digest', '${prefix}source', ${ruleSource(part)}`;
};
const times = (row: string) => `'digest_time', ${row} -> 'digest_time', 'digest_weekday', ${row} -> 'digest_weekday'`;
const scheduled = (part: ScopePart) => `json_build_object(${times(`s.${part}_row`)}, 'source', s.${part}_source)`;
const scoped = (part: ScopePart) =>
  `coalesce(${scopeRow(part)}, '${JSON.stringify(BUILT_IN_SCOPES[part])}'::jsonb) as ${part}_row, ${scopeSource(part)} as ${part}_source`;

/** The matrix of a scope as JSON text; `$4` has the events with their built-in rules. */
const MATRIX = statement(`with e as materialized (
    select * from rows from (jsonb_to_recordset($4::jsonb) as (event_type text, built_in jsonb)) with ordinality e(event_type, built_in, n)),
  s as materialized (select ${scoped("general")}, ${scoped("email")}, ${scoped("push")}, ${dueSoonDays} as due_soon_days
    from (values (1)) one ${joinPreferences("$1", "$2::uuid")})
  select json_build_object(
    'events', (select json_agg(json_build_object('event_type', e.event_type, ${fields("events", "")}, ${times(ruleOf("events"))},
        ${fields("email_events", "email_")}, ${fields("push_events", "push_")}) order by e.n)
      from e ${joinPreferences("$1", "$2::uuid")}),
    'general', json_build_object('due_soon_days', s.due_soon_days, 'quiet_hours_start', s.general_row -> 'quiet_hours_start',
      'quiet_hours_end', s.general_row -> 'quiet_hours_end', 'source', s.general_source),
    'email', ${scheduled("email")},
    'push', ${scheduled("push")},
    'channels', (select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'kind', c.kind, 'digest_time', c.digest_time,
        'digest_weekday', c.digest_weekday, 'events', (select json_agg(json_build_object('event_type', e.event_type,
            'enabled', coalesce(r.enabled, false), 'delay_minutes', coalesce(r.delay_minutes, 0), 'digest', coalesce(r.digest, 'immediate')) order by e.n)
          from e left join notification_channel_routes r on r.organisation_id = $1 and r.channel_id = c.id and r.event_type = e.event_type))
        order by c.name collate kantoor_text, c.id), '[]') from notification_channels c where ${OF_SCOPE}))::text as body,
    coalesce((select version from notification_preferences where organisation_id = $1 and account_id is not distinct from $2::uuid), 0) as version
  from s`);

const EVENTS = JSON.stringify(
  MATRIX_EVENTS.map((event_type) => ({ event_type, built_in: builtIn(EVENTS_OF_INTEREST[event_type]?.immediate === true) })),
);

/** The effective rules of a scope for every event and way, with their sources (platform chapter §5.4). One statement. */
export async function matrix({ account, routes }: Scope): Promise<JsonText> {
  const [row] = await query<{ body: string; version: number }>(MATRIX, [request().organisation.id, account, routes, EVENTS]);
  const { body, version } = row as { body: string; version: number };
  return new JsonText(body, version);
}
