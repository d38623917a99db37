import { utcInstant } from "../../../core/calendar/calendar.ts";
import { type MirroredEvent, namedRecordKey } from "../../../core/calendar/mirrored-event.ts";
import { query } from "../../../core/database/query.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { input, instant, Type, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { moveBlock } from "./block-writes.ts";
import type { PlannedBlock } from "./calendar-events.ts";

/** Maximum number of records per call. */
const MOST = 200;
const BLOCKS = statement(`select s.id, s.user_id, s.task_id, s.starts_at, s.ends_at, s.note, t.title
  from task_schedules s join tasks t on t.organisation_id = s.organisation_id and t.id = s.task_id
  where s.organisation_id = $1 and s.id = any($2::uuid[]) and s.user_id is not null`);

const COMING = statement(`select s.id from task_schedules s
  where s.organisation_id = $1 and s.user_id = $2 and s.ends_at >= statement_timestamp() order by s.starts_at, s.id`);

type Block = Omit<PlannedBlock, "updated_at"> & { readonly user_id: string; readonly task_id: string };

/** Planned blocks for the calendars of their people (work §3.10). */
export default service("tasks.mirror", {
  actions: {
    coming_blocks: internal({
      summary: "A person's planned blocks that have not ended",
      open: "the job that writes calendars calls it as the system (work §3.10)",
      needs: "everything",
      body: input("ComingBlocksQuery", { user_id: uuid() }),
      handler: async (ctx): Promise<string[]> =>
        (await query<{ id: string }>(COMING, [ctx.meta.organisation.id, ctx.params.body.user_id])).map(({ id }) => id),
    }),

    move: internal({
      summary: "Move a planned block to where its person moved its event, if that person may plan",
      open: "the job that reads calendars calls it as the system (workspace §2.3)",
      needs: "everything",
      writes: true,
      body: input("MovedBlock", { schedule_id: uuid(), user_id: uuid(), starts_at: instant(), ends_at: instant() }),
      handler: (ctx): Promise<boolean> => moveBlock(ctx.params.body),
    }),

    blocks: internal({
      summary: "Planned blocks, as events of a calendar",
      open: "the job that writes calendars calls it as the system (work §3.10)",
      needs: "everything",
      body: input("PlannedBlocksQuery", { ids: Type.Array(uuid(), { maxItems: MOST }) }),
      async handler(ctx): Promise<MirroredEvent[]> {
        const rows = await query<Block>(BLOCKS, [ctx.meta.organisation.id, ctx.params.body.ids]);
        const zone = organisationZone();
        return rows.map(({ id, user_id, task_id, starts_at, ends_at, note, title }) => ({
          source_id: id,
          user_id,
          title,
          names: [namedRecordKey("task", task_id)],
          description: note,
          time: { all_day: false, start: utcInstant(starts_at), end: utcInstant(ends_at) },
          zone,
          is_free: false,
          weekly: null,
        }));
      },
    }),
  },
});
