import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { list } from "../../../core/schema/schema.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { UptimeProfile, type UptimeProfileRow } from "../models.ts";
import { seenMonitor } from "../monitors/monitor-rows.ts";
import { followProfile } from "./profile-changes.ts";
import { UptimeProfileCreate, UptimeProfileRead, UptimeProfileUpdate } from "./profile-schemas.ts";

const KIND = "uptime_profile";
const shown = projection({
  model: UptimeProfile,
  schema: UptimeProfileRead,
  columns: { monitor_count: "used.value" },
  joins: (sources) => `left join lateral (select count(*)::int as value from uptime_monitors m
    where m.organisation_id = t.organisation_id and m.profile_id = t.id and ${seenMonitor("m", sources)}) used on true`,
  keepsOrder: true,
});
const profiles = rowsOf({
  model: UptimeProfile,
  projection: shown,
  whole: { order: "t.name collate kantoor_text, t.id" },
  narrowed: true,
});

/** @throws 422 for a blank name, or a range of statuses that ends before it begins */
function checked<V extends { name?: string; accepted_statuses?: readonly string[] | null }>(values: V): V {
  const { name, accepted_statuses: statuses } = values;
  if (name !== undefined && name.trim() === "") throw invalid({ name: "errors.required" });
  const isBackwards = (range: string) => (([first = "", last = first]) => last < first)(range.split("-"));
  if (statuses?.some(isBackwards)) throw invalid({ accepted_statuses: "errors.validation" });
  return name === undefined ? values : { ...values, name: name.trim() };
}

/** Profiles of settings for monitors (workspace-reporting §5). */
export default resource("uptime.profiles", {
  model: UptimeProfile,
  actions: {
    list: action({
      rest: "GET /uptime/profiles",
      summary: "List the profiles of settings for monitors, by name",
      permission: "uptime.monitor.read",
      query: sinceQuery,
      returns: list(UptimeProfileRead),
      handler: ({ params: { updated_since } }) => profiles.all({ updated_since }),
    }),

    create: action({
      rest: "POST /uptime/profiles",
      summary: "Add a profile of settings for monitors",
      description: "Omitted settings use the built-in values. A setting of the monitor itself overrides that of its profile.",
      permission: "uptime.profile.manage",
      body: UptimeProfileCreate,
      returns: UptimeProfileRead,
      errors: ["conflict"],
      async handler(ctx) {
        const id = queueInsert(UptimeProfile, checked(ctx.params.body));
        trail(KIND, id, "created");
        return profiles.answerWith(id);
      },
    }),

    get: action({
      rest: "GET /uptime/profiles/:profile_id",
      summary: "Read one profile of settings",
      permission: "uptime.monitor.read",
      returns: UptimeProfileRead,
      handler: (ctx) => profiles.one(ctx.params.profile_id),
    }),

    update: action({
      rest: "PATCH /uptime/profiles/:profile_id",
      summary: "Change a profile of settings",
      description: "A job writes its monitors to their servers. Monitors keep their own values.",
      permission: "uptime.profile.manage",
      body: UptimeProfileUpdate,
      returns: UptimeProfileRead,
      errors: ["conflict"],
      async handler(ctx) {
        const id = ctx.params.profile_id;
        const before = await profiles.forWrite(id);
        const changed = differences(before, checked(ctx.params.body));
        if (changed) {
          queueUpdate(UptimeProfile, id, changed);
          const changes = changesOf(UptimeProfile.tracked, before, changed);
          trail(KIND, id, "updated", { changes });
          await followProfile(before, { ...before, ...changed } as UptimeProfileRow);
        }
        return profiles.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /uptime/profiles/:profile_id",
      summary: "Delete a profile of settings",
      description: "Its monitors fall back to the built-in values, at their servers too.",
      permission: "uptime.profile.manage",
      async handler(ctx) {
        const before = await profiles.forWrite(ctx.params.profile_id);
        await followProfile(before, null);
        queueRemove(UptimeProfile, before.id);
        trail(KIND, before.id, "deleted", { name: before.name });
      },
    }),
  },
});
