import { clearOld } from "../../../core/clearing/clear.ts";
import { listing, listQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { job, type OrganisationRun, scheduleAll } from "../../../core/jobs/jobs.ts";
import { answer, choice, instant, nullable, optional, page, readInstant, Type, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { STATUSES, UptimeHeartbeat } from "../models.ts";
import { requireInScope } from "../monitors/monitor-rows.ts";
import { visibleRow } from "../monitors/visible-row.ts";
import { beatsAt, isFailure } from "../sessions/asking.ts";
import { expiredHeartbeats, IS_REACHABLE, KEPT, oldHeartbeats, reachableServers, unsettledMonitors } from "./heartbeats.due.ts";
import { isSettlingDue, recordBeats, settleMonitors } from "./recording.ts";

const UptimeHeartbeatRead = answer(
  "UptimeHeartbeatRead",
  {
    id: uuid(),
    monitor_id: uuid(),
    status: choice(STATUSES),
    at: { ...instant(), description: "When the server saw it, in UTC" },
    ping_ms: nullable(Type.Integer({ description: "Whole milliseconds the check took; null if not measured" })),
    message: nullable(Type.String({ description: "The server's message, without credentials; null if there was none" })),
  },
  { monitor_id: "The monitor", status: "Result of the check" },
);

const shown = projection({ model: UptimeHeartbeat, schema: UptimeHeartbeatRead });
const list = listing(
  {
    table: "uptime_heartbeats",
    order: "-at",
    sorts: { at: { by: "t.at" } },
    changed: "t.created_at",
    filters: {
      monitor_id: { type: "uuid", when: (slot) => `t.monitor_id = ${slot}` },
      status: { type: "text", when: (slot) => `t.status = ${slot}` },
      from: { type: "timestamptz", when: (slot) => `t.at >= ${slot}` },
      before: { type: "timestamptz", when: (slot) => `t.at < ${slot}` },
    },
  },
  shown,
);
const heartbeats = rowsOf({ model: UptimeHeartbeat, projection: shown, listing: list });
const { limit, offset, sort, count, updated_since } = listQuery(list.spec.sorts);

const REACHABLE = statement(`select id from uptime_instances where organisation_id = $1 and ${IS_REACHABLE}`);
const MAY_BE_READ = statement(`select 1 from uptime_instances
  where organisation_id = $1 and id = $2 and mode = 'managed' and active and token is not null`);
const READ = statement(
  "update uptime_instances set heartbeats_read_at = statement_timestamp() where organisation_id = $1 and id = $2",
);
// Clear a status older than the retention of heartbeats.
const FORGET = statement(`update uptime_monitors set last_status = null, last_status_since = null, last_heartbeat_at = null,
    version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and last_heartbeat_at < statement_timestamp() - interval '${KEPT} days'`);

/** Reads and records the newest heartbeats of one server. */
async function readBeats({ organisation, payload, read, write, call }: OrganisationRun<{ instance_id: string }>): Promise<void> {
  const { instance_id: id } = payload;
  if (!(await read(() => queryOne(MAY_BE_READ, [organisation.id, id])))) return;
  const performed = await beatsAt((name, parameters) => call(name, parameters), id);
  // The session stores its failure on the instance, and the next run tries again.
  if (isFailure(performed)) return;
  await write(async () => {
    // A sync locks the instance before its monitors, too.
    enqueue(READ, [organisation.id, id]);
    await recordBeats(id, performed.value, false);
  });
}

/** The heartbeats of monitors (workspace-reporting §5). */
export default resource("uptime.heartbeats", {
  model: UptimeHeartbeat,
  actions: {
    list: action({
      rest: "GET /uptime/monitors/:monitor_id/heartbeats",
      summary: "List the heartbeats of a monitor, newest first",
      description: `Every delivery of its server, and every status change found by reading. Kept ${KEPT} days.`,
      permission: "uptime.monitor.read",
      query: {
        limit,
        offset,
        sort,
        count,
        updated_since,
        status: optional(choice(STATUSES)),
        from: optional({ ...instant(), description: "Only heartbeats at or after this instant; without a zone it is UTC" }),
        before: optional({ ...instant(), description: "Only heartbeats before this instant; without a zone it is UTC" }),
      },
      returns: page(UptimeHeartbeatRead),
      async handler({ params: { monitor_id, status, from, before, ...asked } }) {
        await visibleRow(monitor_id);
        await requireInScope(monitor_id);
        const bounds = { from: from && readInstant(from), before: before && readInstant(before) };
        return heartbeats.page(asked, { monitor_id, status, ...bounds });
      },
    }),
  },
  jobs: {
    "uptime.heartbeats": {
      about: "Queues reading the newest heartbeats of every uptime server, to find alarms whose delivery failed",
      module: "uptime",
      schedule: "*/5 * * * *",
      due: reachableServers,
      async handler(run) {
        const instances = await run.read(() => query<{ id: string }>(REACHABLE, [run.organisation.id]));
        if (instances.length === 0) return;
        await run.write(async () => {
          scheduleAll(
            "uptime.heartbeats.read",
            instances.map(({ id }) => ({ payload: { instance_id: id }, dedupe: id })),
          );
        });
      },
    },
    "uptime.heartbeats.read": job<{ instance_id: string }>({
      about: "Reads the newest heartbeats of one uptime server",
      module: "uptime",
      timeout: 120_000,
      handler: readBeats,
    }),
    "uptime.monitors.settle": {
      about:
        "Reports the state of uptime monitors that have stopped flapping, or are no longer paused, if it was not reported yet",
      module: "uptime",
      schedule: "*/5 * * * *",
      due: unsettledMonitors,
      async handler(run) {
        if (await run.read(isSettlingDue)) await run.write(settleMonitors);
      },
    },
    "uptime.heartbeats.clear": {
      about: `Removes heartbeats after ${KEPT} days`,
      schedule: "20 3 * * *",
      due: oldHeartbeats,
      spread: 35,
      licenceExempt: "stored data is bounded whatever the plan (workspace-reporting §5)",
      async handler(run) {
        await run.write(async () => enqueue(FORGET, [run.organisation.id]));
        await clearOld(run, expiredHeartbeats);
      },
    },
  },
});
