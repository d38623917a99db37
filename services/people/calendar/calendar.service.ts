import { calendarText, feedWindow } from "../../../core/calendar/calendar-text.ts";
import { action } from "../../../core/declare/action.ts";
import { download } from "../../../core/declare/makers/download.ts";
import { holds } from "../../../core/declare/permissions.ts";
import { madeFile } from "../../../core/files/file-answer.ts";
import { type CalendarReader, calendarLinks } from "../../../core/http/calendar-links.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday, organisationZone } from "../../../core/request/today.ts";
import { flag, optional, Type } from "../../../core/schema/schema.ts";
import { resource } from "../../../mixins/resource.ts";
import { CalendarTokenModel } from "../models.ts";
import { LeaveCalendarToken } from "../requests/request-schemas.ts";
import { loadSources } from "../sources.ts";
import { requestsTouching } from "../team/touching.ts";
import { feedEvent } from "./calendar-feed.ts";

const PATH = "/leave/calendar.ics";
const FALLBACK_LOCALE = "en";
const TITLES: Readonly<Record<string, string>> = { nl: "Verlof", en: "Leave" };

const links = calendarLinks("leave_calendar_tokens", PATH);

/** A person's feed: their own approved leave and, with `team`, others' leave if the person may still read it (people §16). */
async function feedOf({ user_id, grants, locale: chosen }: CalendarReader, team: boolean): Promise<string> {
  const locale = chosen ?? request().organisation.locale;
  const zone = organisationZone();
  const { from, to } = feedWindow(organisationToday());
  const everybody = team && holds(grants, "leave.request.read");
  const [requests, sources] = await Promise.all([
    requestsTouching(from, to, ["approved"], everybody ? null : user_id),
    loadSources({ users: everybody ? "all" : [user_id] }),
  ]);
  const reader = { user_id, locale, fallback_locale: FALLBACK_LOCALE, zone };
  const types = new Map(sources.types.map((type) => [type.id, type]));
  const events = requests.flatMap((leave) => {
    const [type, person] = [types.get(leave.leave_type_id), sources.person(leave.user_id)];
    return type && person.member ? [{ ...feedEvent(leave, type, person, reader), stamp: leave.updated_at }] : [];
  });
  return calendarText(events, { name: TITLES[locale] ?? "Leave", product: "Leave", zone, from, to });
}

export default resource("leave.calendar", {
  model: CalendarTokenModel,
  actions: {
    createToken: action({
      rest: "POST /leave/calendar-token",
      summary: "Create the link of your leave calendar, or replace it",
      description:
        "The only answer that ever contains the link; a replaced link stops working at once. A service account has none: 403.",
      permission: "leave.request.read",
      oneTime: true,
      returns: LeaveCalendarToken,
      handler: () => links.make(),
    }),

    removeToken: action({
      rest: "DELETE /leave/calendar-token",
      summary: "Revoke the link of your leave calendar",
      permission: "leave.request.read",
      licenceExempt: "a link that leaks must be closable at any time (people §16)",
      handler: () => links.revoke(),
    }),

    feed: download({
      rest: `GET ${PATH}`,
      summary: "A leave calendar to subscribe to (iCalendar)",
      description:
        "Your approved leave; with `team` also that of colleagues, by name and time. An unknown, replaced or revoked link is 404.",
      open: "the link's token is the credential",
      needs: "nothing",
      query: { token: optional(Type.String({ default: "" })), team: optional(flag(false)) },
      returnsFile: "text/calendar",
      errors: ["not_found"],
      async handler(ctx) {
        const { token = "", team = false } = ctx.params;
        const bytes = await feedOf(await links.readerOf(token), team);
        return madeFile({ name: "leave.ics", type: "text/calendar", bytes }, { inline: true });
      },
    }),
  },
});
