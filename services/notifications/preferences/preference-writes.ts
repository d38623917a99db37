import { enqueue, query, queryAll } from "../../../core/database/query.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { DIGESTS, type Digest, type EventRule, type General, type InboxRule, type Schedule } from "../models.ts";
import { MATRIX_EVENTS } from "./event-kinds.ts";
import { OF_SCOPE, type Scope } from "./matrix.ts";
import type { PreferenceUpdate } from "./preference-schemas.ts";

type SentPreference = Static<typeof PreferenceUpdate>;
interface SentRule {
  event_type: string;
  enabled?: boolean | undefined;
  delay_minutes?: number | undefined;
  digest?: string | undefined;
}
interface SentTimes {
  digest_time?: string | null | undefined;
  digest_weekday?: number | null | undefined;
}

const SAVE =
  statement(`insert into notification_preferences (organisation_id, account_id, events, email_events, push_events, general, email, push)
  values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict on constraint notification_preferences_scope_key do update
  set events = excluded.events, email_events = excluded.email_events, push_events = excluded.push_events, general = excluded.general,
    email = excluded.email, push = excluded.push, version = notification_preferences.version + 1, updated_at = statement_timestamp()`);
const MAKE = statement(`insert into notification_preferences (organisation_id, account_id, version) values ($1, $2, 0)
  on conflict on constraint notification_preferences_scope_key do nothing`);
const LOCK = statement(
  "select version from notification_preferences where organisation_id = $1 and account_id is not distinct from $2::uuid for update",
);
// Locked, so that none is deleted before its routes are stored.
const IN_SCOPE = statement(
  `select c.id from notification_channels c where ${OF_SCOPE} and c.id = any($4::uuid[]) order by c.id for key share`,
);
const UNROUTE = statement(`delete from notification_channel_routes r using notification_channels c
  where r.organisation_id = $1 and ${OF_SCOPE} and c.id = r.channel_id`);
const ROUTE =
  statement(`insert into notification_channel_routes (organisation_id, channel_id, event_type, enabled, delay_minutes, digest)
  select $1, r.channel_id, r.event_type, r.enabled, r.delay_minutes, r.digest from jsonb_to_recordset($2::jsonb)
    r(channel_id uuid, event_type text, enabled boolean, delay_minutes int, digest text)`);

const listed = new Set(MATRIX_EVENTS);
const isDigest = (value: string): value is Digest => (DIGESTS as readonly string[]).includes(value);

/** A wall-clock time without seconds. */
const minute = (time: string | null | undefined): string | null => time?.slice(0, 5) ?? null;

/** One rule with its defaults. @throws 422 `digest` for an unknown cadence */
function ruleOf({ enabled = false, delay_minutes = 0, digest = "immediate" }: SentRule): EventRule {
  if (!isDigest(digest)) throw invalid({ digest: "errors.validation" });
  return { enabled, delay_minutes, digest };
}

const timesOf = ({ digest_time, digest_weekday }: SentTimes): Schedule => ({
  digest_time: minute(digest_time),
  digest_weekday: digest_weekday ?? null,
});

/** The rules of a list by event. @throws 422 `event_type` for an unknown or repeated event */
function byEvent<S extends SentRule, R>(sent: readonly S[], read: (one: S) => R): Record<string, R> {
  const names = sent.map(({ event_type }) => event_type);
  if (new Set(names).size < names.length || names.some((name) => !listed.has(name)))
    throw invalid({ event_type: "errors.validation" });
  return Object.fromEntries(sent.map((one) => [one.event_type, read(one)]));
}

/** @throws 422 for quiet hours with a start and no end, or an end and no start */
function requireBothQuietHours({ quiet_hours_start: start, quiet_hours_end: end }: NonNullable<SentPreference["general"]>): void {
  if (start && !end) throw invalid({ quiet_hours_end: "errors.required" });
  if (end && !start) throw invalid({ quiet_hours_start: "errors.required" });
}

/** The parts of a scope as stored (platform chapter §5.4). @throws 422 */
export function storedPreferences({ events = [], email_events = [], push_events = [], general, email, push }: SentPreference) {
  if (general) requireBothQuietHours(general);
  const readInbox = (one: (typeof events)[number]): InboxRule => ({ ...ruleOf(one), ...timesOf(one) });
  return {
    events: byEvent(events, readInbox),
    email_events: byEvent(email_events, ruleOf),
    push_events: byEvent(push_events, ruleOf),
    general: general
      ? ({
          due_soon_days: general.due_soon_days ?? null,
          quiet_hours_start: minute(general.quiet_hours_start),
          quiet_hours_end: minute(general.quiet_hours_end),
        } satisfies General)
      : null,
    email: email ? timesOf(email) : null,
    push: push ? timesOf(push) : null,
  };
}

/** The routes sent. @throws 422 for a repeated channel, and like the rules of a list */
function routesOf(channels: NonNullable<SentPreference["channels"]>) {
  const ids = channels.map(({ channel_config_id }) => channel_config_id.toLowerCase());
  if (new Set(ids).size < ids.length) throw invalid({ channel_config_id: "errors.validation" });
  const routes = channels.flatMap(({ events = [] }, n) =>
    Object.entries(byEvent(events, ruleOf)).map(([event_type, rule]) => ({ channel_id: ids[n], event_type, ...rule })),
  );
  return { ids, routes };
}

/** Compares the stored preferences of a scope with `If-Match`; without a row yet, the first of several writers makes it. @throws 412 */
async function requireUnchanged(account: Scope["account"]): Promise<void> {
  if (request().ifMatch === null) return;
  const place = [request().organisation.id, account];
  const [, rows] = await queryAll([MAKE, place], [LOCK, place]);
  requireMatch((rows as unknown as [{ version: number }])[0].version);
}

/**
 * Replaces a whole scope: omitted rules inherit again, and unrouted channels become silent. If the caller may not see the scope's channels,
 * their routes stay.
 * @throws 422 for an unknown event or cadence or a repeated entry, 404 for a channel outside the scope, 412
 */
export async function replacePreferences({ account, routes: mayRoute }: Scope, sent: SentPreference): Promise<void> {
  const { id } = request().organisation;
  const { events, email_events, push_events, general, email, push } = storedPreferences(sent);
  const { ids, routes } = routesOf(sent.channels ?? []);
  const scope = [id, account, mayRoute];
  if (ids.length > 0) {
    const found = await query(IN_SCOPE, [...scope, ids]);
    if (found.length !== ids.length) throw notFound();
  }
  await requireUnchanged(account);
  const json = (part: object | null) => part && JSON.stringify(part);
  enqueue(SAVE, [id, account, ...[events, email_events, push_events, general, email, push].map(json)]);
  if (!mayRoute) return;
  enqueue(UNROUTE, scope);
  if (routes.length > 0) enqueue(ROUTE, [id, JSON.stringify(routes)]);
}
