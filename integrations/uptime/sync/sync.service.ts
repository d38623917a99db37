import { queryOne } from "../../../core/database/query.ts";
import { withoutLoops } from "../../../core/database/without-loops.ts";
import { lock } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { prepared } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { accountSync, type SyncEnd, type SyncRun } from "../../../mixins/account-sync/account-sync.ts";
import { service } from "../../../mixins/resource.ts";
import { type SyncResult, UptimeSyncResult } from "../instances/instance-schemas.ts";
import { failureKey } from "../kuma/failure.ts";
import { UptimeInstance } from "../models.ts";
import { isFailure, listAt } from "../sessions/asking.ts";
import { findInstance, requireReachable, storedInstance } from "../sessions/stored-instance.ts";
import { type Counts, storeMonitors } from "./store-monitors.ts";
import { uptimeServers } from "./syncs.due.ts";

const NOW = statement("select statement_timestamp() as now");

type End = SyncEnd<typeof UptimeInstance, SyncResult>;

const NOTHING: Counts = { found: 0, added: 0, changed: 0, drifted: 0, missing: 0, untracked: 0 };
// The session has stored already why it failed.
const failed = (error: string): End => ({ result: { ok: false, ...NOTHING, error }, account: () => ({}) });

/** Reads all monitors of a server, then stores them; undefined if the instance was removed meanwhile. */
async function syncInstance({ accountId: id, read, write, call }: SyncRun): Promise<End | undefined> {
  const { instance, began } = await read(async () => ({
    instance: await findInstance(id),
    began: (await queryOne<{ now: string }>(NOW))?.now ?? null,
  }));
  if (!instance) return undefined;
  if (instance.mode === "linked") return failed("errors.uptime_linked_instance");
  if (instance.token === null) return failed("errors.uptime_not_enrolled");
  const listed = await listAt(call, id);
  if (isFailure(listed)) return failed(failureKey(listed.failure.kind));
  return write(async () => {
    if (!(await lock(UptimeInstance, id))) return undefined;
    const counts = await withoutLoops(() => storeMonitors(id, listed.value, began));
    trail("uptime_instance", id, "uptime.synced", { ...counts });
    const last_synced_at = new Date().toISOString();
    return { result: { ok: true, ...counts, error: null }, account: () => ({ last_synced_at }) };
  });
}

const syncs = accountSync<typeof UptimeInstance, SyncResult>({
  due: uptimeServers,
  job: "uptime.sync",
  module: "uptime",
  about: "Reads the monitors of an uptime server",
  model: UptimeInstance,
  sync: syncInstance,
  gaveUp: failed,
});

/** Syncs the monitors of uptime servers (workspace-reporting §5). */
export default service("uptime.sync", {
  actions: {
    sync: action({
      rest: "POST /uptime/instances/:instance_id/sync",
      summary: "Read all monitors of an uptime server",
      description:
        "Writes nothing at the server. Joins a running sync and waits for its end. Adopts new monitors; records differences of those created here; unlisted ones become `missing`. A refusal is an answer and changes nothing.",
      permission: "uptime.instance.manage",
      returns: UptimeSyncResult,
      status: 200,
      errors: [
        "validation_error errors.uptime_linked_instance",
        "validation_error errors.uptime_instance_inactive",
        "validation_error errors.uptime_not_enrolled",
        "unavailable",
      ],
      async prepare({ params: { instance_id: id } }): Promise<SyncResult> {
        requireReachable(await storedInstance(id));
        return syncs.join(id);
      },
      handler: async () => prepared<SyncResult>(),
    }),
  },
  jobs: syncs.jobs,
});
