import { sinceQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import { list, type Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { effectiveHourlyRate } from "../../../core/values/hourly-rate.ts";
import { formatAmount } from "../../../core/values/money.ts";
import { resource } from "../../../mixins/resource.ts";
import { askedPerson, requireMember } from "../callers.ts";
import { changedSince } from "../changed-since.ts";
import { LeaveProfileModel } from "../models.ts";
import { byName, type LeaveSources, loadSources, type Person } from "../sources.ts";
import { LeaveRateRead, LeaveRateUpdate } from "../working-time/schedule-schemas.ts";
import { ownPersonId, profileForWrite, profileVersion, saveProfile } from "./profile-rows.ts";

/** A person's own rate and the effective one. */
function rateOf(person: Person, { settings }: LeaveSources): Static<typeof LeaveRateRead> {
  const own = person.profile?.hourly_rate ?? null;
  const effective = effectiveHourlyRate(own, settings.default_hourly_rate);
  return { user_id: person.user_id, hourly_rate: own, effective_hourly_rate: effective };
}

const answered = (person: Person, sources: LeaveSources, version = profileVersion(person)): JsonText =>
  new JsonText(JSON.stringify(rateOf(person, sources)), version);

export default resource("leave.rates", {
  model: LeaveProfileModel,
  actions: {
    mine: action({
      rest: "GET /leave/rate",
      verb: "getMine",
      summary: "Read the caller's own hourly rate",
      permission: "leave.rate.read",
      returns: LeaveRateRead,
      async handler() {
        const id = ownPersonId();
        const sources = await loadSources({ users: [id] });
        return answered(sources.person(id), sources);
      },
    }),

    get: action({
      rest: "GET /leave/rate/:user_id",
      summary: "Read a member's hourly rate",
      permission: "leave.rate.read",
      returns: LeaveRateRead,
      async handler(ctx) {
        const id = askedPerson(ctx.params.user_id, "leave.rate.read:any") as string;
        const sources = await loadSources({ users: [id] });
        requireMember(sources.person(id));
        return answered(sources.person(id), sources);
      },
    }),

    list: action({
      rest: "GET /leave/rates",
      summary: "List the hourly rates of members",
      permission: "leave.rate.read:any",
      query: sinceQuery,
      returns: list(LeaveRateRead),
      async handler(ctx) {
        const sources = await loadSources({ users: "all" });
        const changed = changedSince(ctx.params.updated_since);
        return sources.people
          .filter(({ member, profile }) => member && profile !== null && changed(profile))
          .sort(byName)
          .map((person) => rateOf(person, sources));
      },
    }),

    update: action({
      rest: "PUT /leave/rate/:user_id",
      summary: "Set or clear a member's hourly rate",
      permission: "leave.rate.write",
      body: LeaveRateUpdate,
      returns: LeaveRateRead,
      async handler(ctx) {
        const { sources, person } = await profileForWrite(ctx.params.user_id);
        const { hourly_rate: sent } = ctx.params.body;
        const before = person.profile?.hourly_rate ?? null;
        const rate = sent === undefined || sent === null ? (sent === null ? null : before) : formatAmount(sent);
        if (rate === before) return answered(person, sources);
        const version = saveProfile(person, { hourly_rate: rate });
        const profile = { ...person.profile, hourly_rate: rate } as Person["profile"];
        return answered({ ...person, profile }, sources, version);
      },
    }),
  },
});
