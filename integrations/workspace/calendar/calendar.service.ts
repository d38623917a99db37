import { rangeBounds, zoneOr } from "../../../core/calendar/calendar.ts";
import { DEFAULT_ZONE } from "../../../core/config/defaults.ts";
import { query } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { untenanted } from "../../../core/declare/makers/untenanted.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { callerId, NO_PERSON } from "../../../core/request/caller.ts";
import { list, Type } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { CalendarFeedItem } from "./calendar-schemas.ts";
import { byStartAndTitle, type FeedRow, feedItem } from "./feed-items.ts";
import { messageArrived } from "./messages.ts";

const TOKEN_IS_CREDENTIAL = "workspace §2.3: the token of the channel is the credential and names the organisation, on any host";

/**
 * The cached events of one person that overlap a window, without those that this service wrote, including instances of their series. `not
 * exists` keeps events without a mirror key, which `not in` would drop.
 */
const EVENTS =
  statement(`select e.event_id, e.status, e.title, e.html_link, e.is_free, e.starts_at, e.ends_at, e.start_date, e.end_date
  from workspace_connections c
  join workspace_calendars k on k.organisation_id = c.organisation_id and k.connection_id = c.id
  join workspace_calendar_events e on e.organisation_id = k.organisation_id and e.connection_id = k.connection_id and e.fill = k.fill
  where c.organisation_id = $1 and c.account_id = $2
    and ((e.starts_at < $4::timestamptz and (e.ends_at > $3::timestamptz or e.starts_at >= $3::timestamptz))
      or (e.start_date <= $6::date and e.end_date > $5::date))
    and not exists (select from workspace_calendar_mirrors m
      where m.organisation_id = c.organisation_id and m.account_id = c.account_id and m.mirror_key = e.mirror_key)`);

const day = (description: string) =>
  Type.Unsafe<string>({ type: "string", format: "date", minLength: 10, maxLength: 10, description });

/** The calendar feed of connected people, and the webhook for Google's push messages (workspace §2.3). */
export default service("workspace.calendar", {
  actions: {
    events: action({
      rest: "GET /workspace/calendar/events",
      summary: "List the events of your own calendar in a window of days",
      description:
        "From the last read, without calling Google: every event that overlaps the window, by first day and title. Omits events that this service wrote, declined invitations, birthdays and working locations. Empty without a connection.",
      permission: "workspace.calendar.read",
      query: {
        date_from: day("First day of the window, in the organisation's zone"),
        date_to: day("Last day of the window, inclusive; not before the first"),
      },
      returns: list(CalendarFeedItem),
      tool: {
        name: "my_calendar",
        description: "The caller's own calendar in a window of days.",
        inArea: true,
        takes: ["date_from", "date_to"],
      },
      async handler(ctx) {
        const { date_from: first, date_to: last } = ctx.params;
        if (last < first) throw invalid({ date_to: "errors.validation" });
        const { organisation } = ctx.meta;
        const zone = zoneOr(organisation.timezone, DEFAULT_ZONE);
        const { from, until } = rangeBounds(first, last, zone);
        const rows = await query<FeedRow>(EVENTS, [organisation.id, callerId() ?? NO_PERSON, from, until, first, last]);
        return rows.map((row) => feedItem(row, zone)).sort(byStartAndTitle);
      },
    }),

    webhook: untenanted({
      rest: "POST /workspace/calendar/webhook",
      summary: "Receive a notification from Google that a calendar has changed",
      description:
        "Any host name. `X-Goog-Channel-Token` is the credential. Answers a bare status: 404 for a token of no channel of this service, else 200. Ignores the body.",
      open: TOKEN_IS_CREDENTIAL,
      returns: null,
      status: 200,
      otherStatuses: { 404: "No such channel" },
      exceptions: { host: TOKEN_IS_CREDENTIAL, malformed: "the body is ignored, whatever it is" },
      async handler(ctx) {
        const { headers } = ctx.params;
        return { status: await messageArrived(headers, ctx.broker.logger) };
      },
    }),
  },
});
