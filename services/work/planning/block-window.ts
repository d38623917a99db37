import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { organisationZone } from "../../../core/request/today.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { forStaffAndClients, ofVisibleTask } from "../visibility.ts";
import { CREATOR, CREATOR_JOIN } from "./block-rows.ts";
import { blockDays, windowInstants } from "./planned-blocks.ts";
import type { ScheduleItem } from "./schedule-schemas.ts";

/** The parameters of a read of planned blocks: of a task, or of people in a window. Dates are the organisation's, both inclusive. */
export interface BlockWindow {
  /** Null if a task's window is open-ended. */
  readonly from: IsoDate | null;
  readonly to: IsoDate | null;
  /** Null for the blocks of everyone on a task. */
  readonly people: readonly string[] | null;
  /** Null for blocks on any task. */
  readonly task: string | null;
  /** Only blocks written since this instant. */
  readonly since: string | null;
}

type Row = Omit<Static<typeof ScheduleItem>, "start" | "end">;

/** No block is longer than a day, so one that overlaps a window starts less than a day before it. */
const AFTER = "t.starts_at > $2::timestamptz - interval '1 day' and t.ends_at > $2::timestamptz";
const BEFORE = "t.starts_at < $3::timestamptz";

const windowOf = (narrowed: string, clients: boolean) =>
  statement(`select t.id, t.task_id, t.user_id, t.starts_at, t.ends_at, t.note, t.time_entry_id,
      t.created_by_account_id as created_by_user_id, ${CREATOR} as created_by_name,
      coalesce(nullif(person.full_name, ''), person.email) as user_name,
      k.title as task_title, k.project_id, k.company_id, k.status, k.allocated_minutes
    from task_schedules t
    join tasks k on k.organisation_id = t.organisation_id and k.id = t.task_id
    left join accounts person on person.id = t.user_id ${CREATOR_JOIN}
    where t.organisation_id = $1 and ${narrowed}
      and ($6::timestamptz is null or t.updated_at >= $6::timestamptz)
      and ($7::uuid[] is null or ${ofVisibleTask(clients)("$7::uuid[]")})
    order by t.starts_at, t.id`);

/** One statement for the blocks of people in a window, another for those of a task, so that each uses its own index. */
const BLOCKS = forStaffAndClients((clients) => ({
  ofPeople: windowOf(`t.user_id = any($4::uuid[]) and ${AFTER} and ${BEFORE} and $5::uuid is null`, clients),
  ofTask: windowOf(
    `t.task_id = $5::uuid and ($4::uuid[] is null or t.user_id = any($4))
      and ($2::timestamptz is null or ${AFTER}) and ($3::timestamptz is null or ${BEFORE})`,
    clients,
  ),
}));

/** The planned blocks that overlap a window on tasks the caller sees, by start, with their local dates (work chapter §3.10). */
export async function blocksIn({ from, to, people, task, since }: BlockWindow): Promise<Static<typeof ScheduleItem>[]> {
  const { organisation, principal } = request();
  const zone = organisationZone();
  const start = from && windowInstants(from, from, zone).start;
  const end = to && windowInstants(to, to, zone).end;
  const { ofPeople, ofTask } = BLOCKS();
  const values = [organisation.id, start, end, people, task, since, principal?.selection ?? null];
  const rows = await query<Row>(task === null ? ofPeople : ofTask, values);
  return rows.map((row) => ({ ...row, ...blockDays(row, zone) }));
}
