import { randomBytes } from "node:crypto";
import { newId } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { action } from "../../../core/declare/action.ts";
import { forbidden, notFound } from "../../../core/declare/errors.ts";
import { holds } from "../../../core/declare/permissions.ts";
import { flag, optional, Type } from "../../../core/declare/schema.ts";
import { madeFile } from "../../../core/files/file-answer.ts";
import { request } from "../../../core/request/context.ts";
import { organisationAddress } from "../../../core/request/organisation-address.ts";
import { organisationToday, organisationZone } from "../../../core/request/today.ts";
import { digest } from "../../../core/security/crypto.ts";
import { resource } from "../../../mixins/resource.ts";
import { CalendarTokenModel } from "../models.ts";
import { LeaveCalendarToken } from "../requests/request-schemas.ts";
import { loadSources } from "../sources.ts";
import { requestsTouching } from "../team/touching.ts";
import { feedEvent, feedWindow } from "./calendar-feed.ts";
import { calendarText } from "./calendar-text.ts";

const PATH = "/leave/calendar.ics";
const TOKEN_BYTES = 32;
const FALLBACK_LOCALE = "en";
const TITLES: Readonly<Record<string, string>> = { nl: "Verlof", en: "Leave" };

const PUT_TOKEN =
  statement(`insert into leave_calendar_tokens (id, organisation_id, membership_id, token_hash) values ($1, $2, $3, $4)
  on conflict (organisation_id, membership_id) do update set token_hash = excluded.token_hash,
    version = leave_calendar_tokens.version + 1, updated_at = statement_timestamp()`);
const REVOKE = statement("delete from leave_calendar_tokens where organisation_id = $1 and membership_id = $2");
const READER = statement(`select m.account_id as user_id, a.locale, coalesce((
    select array_agg(distinct grants) from membership_roles mr
      join roles r on r.organisation_id = mr.organisation_id and r.id = mr.role_id, unnest(r.permissions) grants
     where mr.organisation_id = m.organisation_id and mr.membership_id = m.id), '{}') as grants
  from leave_calendar_tokens t join memberships m on m.organisation_id = t.organisation_id and m.id = t.membership_id
  join accounts a on a.id = m.account_id
  where t.organisation_id = $1 and t.token_hash = $2 and m.deactivated_at is null and a.is_active`);

interface Reader {
  user_id: string;
  /** The language the person chose; null follows the organisation (conventions §15). */
  locale: string | null;
  grants: string[];
}

/** Whose feed a link token opens now. @throws 404, the same for every token that is none */
async function readerOf(token: string): Promise<Reader> {
  const reader = await queryOne<Reader>(READER, [request().organisation.id, digest(token)]);
  if (!reader) throw notFound();
  return reader;
}

/** A person's feed: own approved leave, and with `team` that of the others as far as the person may still read leave (people §16). */
async function feedOf({ user_id, grants, locale: chosen }: Reader, team: boolean): Promise<string> {
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
  return calendarText(events, { name: TITLES[locale] ?? "Leave", zone, from, to });
}

/** The membership a link belongs to. @throws 403 for a caller who is no person */
function ownMembership(): string {
  const { principal } = request();
  if (!principal?.accountId || !principal.membershipId) throw forbidden();
  return principal.membershipId;
}

export default resource("leave.calendar", {
  model: CalendarTokenModel,
  actions: {
    createToken: action({
      rest: "POST /leave/calendar-token",
      summary: "Make the link of your leave calendar, or replace it",
      description: "The only answer that ever holds the link; a replaced one ends at once. A service account has none: 403.",
      permission: "leave.request.read",
      oneTime: true,
      returns: LeaveCalendarToken,
      async handler() {
        const token = randomBytes(TOKEN_BYTES).toString("base64url");
        enqueue(PUT_TOKEN, [newId(), request().organisation.id, ownMembership(), digest(token)]);
        return { token, url: `${await organisationAddress()}/api/v1${PATH}?token=${token}` };
      },
    }),

    removeToken: action({
      rest: "DELETE /leave/calendar-token",
      summary: "Revoke the link of your leave calendar",
      permission: "leave.request.read",
      licenceExempt: "a link that leaks must be closable at any time (people §16)",
      handler() {
        enqueue(REVOKE, [request().organisation.id, ownMembership()]);
      },
    }),

    feed: action({
      rest: `GET ${PATH}`,
      summary: "A leave calendar to subscribe to (iCalendar)",
      description: "Own approved leave; with `team` that of colleagues too, by name and time. Whatever is no live link is 404.",
      open: "the link's token is the credential",
      needs: "nothing",
      query: { token: optional(Type.String({ default: "" })), team: optional(flag(false)) },
      returnsFile: "text/calendar",
      errors: ["not_found"],
      async handler(ctx) {
        const { token = "", team = false } = ctx.params;
        const bytes = await feedOf(await readerOf(token), team);
        return madeFile({ name: "leave.ics", type: "text/calendar", bytes }, { inline: true });
      },
    }),
  },
});
