import type { RowOf } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { lock } from "../../../core/database/write.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { callerId, mayCaller, NO_PERSON } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { JsonText, WrittenRow } from "../../../core/sql/json-text.ts";
import { Schedule } from "../task-models.ts";
import { forStaffAndClients, ofVisibleTask } from "../visibility.ts";
import { ScheduleRead } from "./schedule-schemas.ts";

export type Block = RowOf<typeof Schedule>;

/** The planner of a block: the current name, or the stored name if the account is gone (work chapter §3.8). */
export const CREATOR = "coalesce(nullif(creator.full_name, ''), creator.email, t.created_by_name)";
export const CREATOR_JOIN = "left join accounts creator on creator.id = t.created_by_account_id";

const shown = projection({
  model: Schedule,
  schema: ScheduleRead,
  columns: { created_by_user_id: "t.created_by_account_id", created_by_name: CREATOR },
  joins: CREATOR_JOIN,
});

/** A block of one person (`$3`; null for anyone) on a task in the selection (`$4`). */
const seen = forStaffAndClients((clients) => {
  const visible = `($3::uuid is null or t.user_id = $3) and ($4::uuid[] is null or ${ofVisibleTask(clients)("$4::uuid[]")})`;
  return { condition: visible, one: shown.one(visible) };
});

/** The person whose blocks the caller sees: null (everyone) with the permission at `:any`, else the caller (work chapter §3.10). */
const owner = (...permissions: string[]): string | null =>
  permissions.some((permission) => mayCaller(`${permission}:any`)) ? null : (callerId() ?? NO_PERSON);

const selection = () => request().principal?.selection ?? null;

/** The block as the response shows it. @throws 404 if it does not exist or is not visible */
export async function readBlock(id: string): Promise<JsonText> {
  const values = [request().organisation.id, id, owner("tasks.schedule.read"), selection()];
  const found = await queryOne<{ version: number; body: string }>(seen().one, values);
  if (!found) throw notFound();
  return new JsonText(found.body, found.version);
}

/** The block just written. */
export const writtenBlock = (id: string): WrittenRow => new WrittenRow([seen().one, [request().organisation.id, id, null, null]]);

/**
 * Locks a stored block for a write.
 * @param permissions any of these at `:any` shows another person's blocks
 * @throws 404 if it does not exist or is not visible
 */
export async function lockBlock(id: string, ...permissions: string[]): Promise<Block> {
  const block = await lock(Schedule, id, seen().condition, [owner(...permissions), selection()]);
  if (!block) throw notFound();
  return block;
}
