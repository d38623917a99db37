import { addDays, dateIn, type IsoDate, isoWeekday, zoneOr } from "../../../core/calendar/calendar.ts";
import { instantIn } from "../../../core/calendar/zones.ts";
import { DEFAULT_ZONE } from "../../../core/config/defaults.ts";
import { newId } from "../../../core/database/model.ts";
import { seal } from "../../../core/database/sealed.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { randomHex } from "../../../core/security/crypto.ts";
import { SCOPE } from "../../../mixins/google/scopes.ts";
import type { CachedEvent } from "../calendar/pulled-events.ts";

/** The events by working day, counted from Monday: from, to, title; null for all day. */
const AGENDA: readonly [day: number, from: string | null, to: string | null, title: string][] = [
  [0, "09:00", "09:15", "Weekstart"],
  [0, "13:30", "14:30", "Kennismaking nieuwe klant"],
  [1, "10:00", "11:00", "Schetsen bespreken"],
  [2, null, null, "Beurs Webwinkel"],
  [3, "16:00", "17:00", "Tandarts"],
  [4, "15:30", "16:30", "Vrijdagmiddagborrel"],
];
const WEEKS = 6;

const FILL = `with person as (select m.account_id, a.email from memberships m join accounts a on a.id = m.account_id
    where m.organisation_id = $1 and a.id = $3 and not exists (
      select from workspace_connections c where c.organisation_id = $1 and c.account_id = a.id)),
  connection as (insert into workspace_connections (id, organisation_id, account_id, subject, client_id, email, scopes, refresh_token)
    select $2::uuid, $1, account_id, 'demo', 'demo', email, array['openid', $4], $5 from person returning id),
  calendar as (insert into workspace_calendars (organisation_id, connection_id, fill, filled_at, last_synced_at)
    select $1, id, $6, now(), now() from connection returning connection_id)
  insert into workspace_calendar_events (organisation_id, connection_id, fill, event_id, recurring_event_id, status, title, starts_at, ends_at,
    start_date, end_date)
  select $1, c.connection_id, $6, e.event_id, e.recurring_event_id, e.status, e.title, e.starts_at, e.ends_at, e.start_date, e.end_date
  from calendar c, jsonb_to_recordset($7::jsonb) e (event_id text, recurring_event_id text, status text, title text, starts_at timestamptz,
    ends_at timestamptz, start_date date, end_date date)`;
const OWNER = "select id from accounts where email = $1";

type DemoEvent = Omit<CachedEvent, "mirror_key" | "html_link" | "is_free">;

/** The demo events of one person; the first one recurs weekly. */
function eventsFrom(monday: IsoDate, zone: string): DemoEvent[] {
  return AGENDA.flatMap(([day, from, to, title], at) => {
    const isWeekly = at === 0;
    return Array.from({ length: isWeekly ? WEEKS : 1 }, (_, week): DemoEvent => {
      const date = addDays(monday, day + 7 * week);
      const isTimed = from !== null && to !== null;
      return {
        event_id: `demo${at}${isWeekly ? `_${date.replaceAll("-", "")}` : ""}`,
        recurring_event_id: isWeekly ? `demo${at}` : null,
        status: title === "Beurs Webwinkel" ? "tentative" : "confirmed",
        title,
        starts_at: isTimed ? instantIn(zone, date, from) : null,
        ends_at: isTimed ? instantIn(zone, date, to) : null,
        start_date: isTimed ? null : date,
        end_date: isTimed ? null : addDays(date, 1),
      };
    });
  });
}

/**
 * Gives the demo's owner and one colleague a calendar that appears to be just read. The organisation enables no surface, so no job calls
 * Google, whatever OAuth client the installation has. Running it again changes nothing.
 */
export async function fillCalendars({ client, organisation, owner, colleagues }: DemoOrganisation): Promise<void> {
  const zone = zoneOr(organisation.timezone, DEFAULT_ZONE);
  const today = dateIn(zone, Date.now());
  const events = JSON.stringify(eventsFrom(addDays(today, 1 - isoWeekday(today)), zone));
  const { rows } = await client.query<{ id: string }>(OWNER, [owner]);
  for (const { id: person } of [...rows, ...colleagues.slice(0, 1)]) {
    const id = newId();
    const place = { table: "workspace_connections", column: "refresh_token", organisation: organisation.id, row: id };
    const token = seal(randomHex(12), place);
    await client.query(FILL, [organisation.id, id, person, SCOPE.calendar, token, newId(), events]);
  }
}
