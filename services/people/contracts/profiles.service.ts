import { isDeepStrictEqual } from "node:util";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import { enqueue } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { list, type Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource } from "../../../mixins/resource.ts";
import { refuseWith } from "../callers.ts";
import { changedSince } from "../changed-since.ts";
import { LeaveProfileModel } from "../models.ts";
import { rederivePerson } from "../pots/rederivation.ts";
import { byName, loadSources, type Person } from "../sources.ts";
import { hoursText } from "../working-time/hours.ts";
import { inForce } from "../working-time/period.ts";
import {
  listsProfile,
  ownWeekOn,
  type ProfileWrite,
  profileChange,
  profileOn,
  weeklyHoursAllowed,
} from "../working-time/schedule.ts";
import { LeaveProfileRead, LeaveProfileSummary, LeaveProfileUpdate } from "../working-time/schedule-schemas.ts";
import { readWeek } from "../working-time/week-validation.ts";
import { ownPersonId, profileForWrite, profileVersion, saveProfile } from "./profile-rows.ts";

const SET_WEEK = statement(`update leave_contracts set schedule = $3, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = any($2::uuid[])`);

/** A person's week and hours in the list of profiles; a null week follows the default. */
function summaryOf(person: Person, today: string) {
  const { hours_per_week, hours_per_day } = profileOn(person, today);
  return { user_id: person.user_id, schedule: ownWeekOn(person, today), hours_per_week, hours_per_day };
}

/** Normalises a profile write, with its week sorted. @throws 422 for an invalid week, or for hours that round to zero */
function readProfile({ schedule, hours_per_week }: Static<typeof LeaveProfileUpdate>): ProfileWrite {
  if (hours_per_week && !weeklyHoursAllowed(hoursText(hours_per_week))) throw invalid({ hours_per_week: "errors.validation" });
  if (!schedule) return { schedule, hours_per_week } as ProfileWrite;
  const read = readWeek(schedule, "schedule");
  return read.allowed ? { schedule: read.week, hours_per_week } : refuseWith(read.refusal);
}

export default resource("leave.profiles", {
  model: LeaveProfileModel,
  actions: {
    mine: action({
      rest: "GET /leave/profile",
      verb: "getMine",
      summary: "Read the caller's working week as it applies today",
      permission: "leave.request.read",
      returns: LeaveProfileRead,
      async handler() {
        const id = ownPersonId();
        const sources = await loadSources({ users: [id] });
        const person = sources.person(id);
        return new JsonText(JSON.stringify({ user_id: id, ...profileOn(person, sources.today) }), profileVersion(person));
      },
    }),

    list: action({
      rest: "GET /leave/profiles",
      summary: "List the members with their own profile or week",
      permission: "leave.profile.manage",
      query: sinceQuery,
      returns: list(LeaveProfileSummary),
      async handler(ctx) {
        const { people, today } = await loadSources({ users: "all" });
        const changed = changedSince(ctx.params.updated_since);
        return people
          .filter((person) => person.member && listsProfile(person, today))
          .filter((person) => changed(person.profile) || changed(inForce(person.contracts, today)))
          .sort(byName)
          .map((person) => summaryOf(person, today));
      },
    }),

    update: action({
      rest: "PUT /leave/profiles/:user_id",
      summary: "Set a member's working week, or the hours of a member who follows the default",
      description: "Also writes a week to every contract that has not ended, and recomputes the person's pots.",
      permission: "leave.profile.manage",
      body: LeaveProfileUpdate,
      returns: LeaveProfileSummary,
      async handler(ctx) {
        const sent = readProfile(ctx.params.body);
        const { sources, person } = await profileForWrite(ctx.params.user_id, "pots");
        const { today } = sources;
        const stored = person.profile && { schedule: person.profile.schedule, hours_per_week: person.profile.hours_per_week };
        const { profile, contracts, rederives } = profileChange(sent, stored, person.contracts, today);
        const touched = contracts.filter(({ id, schedule }) => {
          const before = person.contracts.find((contract) => contract.id === id);
          return !isDeepStrictEqual(before?.schedule, schedule);
        });
        if (touched.length > 0) {
          const ids = touched.map(({ id }) => id);
          enqueue(SET_WEEK, [request().organisation.id, ids, JSON.stringify(profile.schedule)]);
        }
        const saves =
          stored === null ? sent.schedule !== undefined || profile.hours_per_week !== null : !isDeepStrictEqual(stored, profile);
        const hours = profile.hours_per_week === null ? null : hoursText(profile.hours_per_week);
        const version = saves ? saveProfile(person, { ...profile, hours_per_week: hours }) : profileVersion(person);
        const replaced = new Map(contracts.map((contract) => [contract.id, contract]));
        const after = {
          ...person,
          profile: { ...person.profile, ...profile } as Person["profile"],
          contracts: person.contracts.map((contract) => replaced.get(contract.id) ?? contract),
        };
        if (rederives) await rederivePerson(sources, after);
        return new JsonText(JSON.stringify(summaryOf(after, today)), version);
      },
    }),
  },
});
