import type pg from "pg";
import type { InstanceCaller, InstanceMeta } from "../../core/declare/instance.ts";

/** What an act concerned. */
export interface ActFacts {
  organisation?: { id: string; slug: string };
  /** The administrator that it was done by, where no credential says so. */
  administratorId?: string;
  /** What did it, where that is neither an administrator nor the command line. */
  actor?: string;
  detail?: Record<string, unknown>;
}

/** The actor of the command line in the audit, which has no administrator. */
const COMMAND_LINE = "command line";
/** The actor of what a schedule does. */
export const SCHEDULE = "schedule";

/** Writes one line of the operators' audit in the running transaction. Its lines are neither changed nor deleted. */
export async function recordAct(
  client: pg.ClientBase,
  act: string,
  caller: InstanceCaller | null,
  meta: InstanceMeta | null,
  { organisation, administratorId, actor = COMMAND_LINE, detail = {} }: ActFacts = {},
): Promise<void> {
  await client.query(
    `insert into operator_audit (action, organisation, slug, actor, detail, administrator_id, key_id, address, request_id)
     values ($1, $2, $3, coalesce($4::text, (select email from instance_administrators where id = $6::uuid), $10::text), $5, $6, $7, $8, $9)`,
    [
      act,
      organisation?.id ?? null,
      organisation?.slug ?? null,
      caller?.administrator.email ?? null,
      JSON.stringify(detail),
      caller?.administrator.id ?? administratorId ?? null,
      caller?.credential.kind === "key" ? caller.credential.id : null,
      meta?.address ?? null,
      meta?.requestId ?? null,
      actor,
    ],
  );
}
