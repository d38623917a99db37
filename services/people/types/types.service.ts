import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { queryAll, queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { flag, list, optional } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { LeaveTypeModel } from "../models.ts";
import { lockEverybody } from "../person-lock.ts";
import { reprorate } from "../pots/rederivation.ts";
import { markTypesSeeded, SEED_STATE, type SeedState, seedLeave } from "../seeding.ts";
import { loadSources } from "../sources.ts";
import { sameHours } from "../working-time/hours.ts";
import { LeaveTypeCreate, LeaveTypeRead, LeaveTypeUpdate } from "./type-schemas.ts";

const shown = projection({ model: LeaveTypeModel, schema: LeaveTypeRead });
const types = rowsOf({
  model: LeaveTypeModel,
  projection: shown,
  whole: { order: "t.position, t.key", by: { active: "boolean" } },
});

export default resource("leave.types", {
  model: LeaveTypeModel,
  actions: {
    list: action({
      rest: "GET /leave/types",
      summary: "List the types of leave",
      description: "The first read by a caller who can write leave creates the default types.",
      permission: "leave.request.read",
      query: { include_inactive: optional(flag(false)), ...sinceQuery },
      returns: list(LeaveTypeRead),
      writes: true,
      tool: {
        name: "leave_types",
        description: "The types of leave, with the ids that a request needs.",
        inArea: true,
        takes: [],
      },
      async handler(ctx) {
        const { include_inactive: all, updated_since } = ctx.params;
        const listed = types.allBound({ active: all ? undefined : true, updated_since });
        const sent = await queryAll([SEED_STATE, [ctx.meta.organisation.id]], listed);
        const [[state], [row]] = sent as unknown as [[SeedState], [Listed]];
        return new JsonText(((await seedLeave(state)) ? await queryOne<Listed>(...listed) : row)?.items ?? "[]");
      },
    }),

    create: action({
      rest: "POST /leave/types",
      summary: "Create a type of leave",
      permission: "leave.type.write",
      body: LeaveTypeCreate,
      example: {
        key: "study",
        label_i18n: { nl: "Studieverlof", en: "Study leave" },
        default_weeks: "1",
        tracks_balance: true,
        carry_over_months: 6,
      },
      returns: LeaveTypeRead,
      errors: ["conflict"],
      handler(ctx) {
        markTypesSeeded();
        return types.answerWith(queueInsert(LeaveTypeModel, ctx.params.body));
      },
    }),

    update: action({
      rest: "PATCH /leave/types/:type_id",
      summary: "Change a type of leave; its key stays",
      description: "A change of yearly weeks recomputes the generated pots of this year and later; manual pots stay.",
      permission: "leave.type.write",
      body: LeaveTypeUpdate,
      returns: LeaveTypeRead,
      async handler(ctx) {
        const id = ctx.params.type_id;
        const { default_weeks: weeks, ...sent } = ctx.params.body;
        if (weeks !== undefined) lockEverybody();
        const before = await types.forWrite(id);
        const hasOtherWeeks = weeks !== undefined && !sameHours(before.default_weeks, weeks);
        const changed = differences(before, { ...sent, default_weeks: hasOtherWeeks ? weeks : undefined });
        if (changed) queueUpdate(LeaveTypeModel, id, changed);
        if (changed?.label_i18n) emit("leave.type_renamed", "leave_type", id, { leave_type_id: id });
        if (hasOtherWeeks) {
          const sources = await loadSources({ users: "all", ledger: "pots" });
          reprorate(sources, id);
        }
        return types.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /leave/types/:type_id",
      summary: "Delete a type of leave with its pots and patterns",
      description: "Refused while any request refers to it, whatever its status.",
      permission: "leave.type.write",
      errors: ["conflict"],
      async handler(ctx) {
        const id = ctx.params.type_id;
        lockEverybody();
        await types.forWrite(id);
        queueRemove(LeaveTypeModel, id);
      },
    }),
  },
});

type Listed = { items: string };
