import type { Context } from "moleculer";
import { listQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import type { Meta } from "../../../core/declare/principal.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { job } from "../../../core/jobs/jobs.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { flag, optional, page } from "../../../core/schema/schema.ts";
import { resource } from "../../../mixins/resource.ts";
import { inOwnTransaction, storeOutsideResult } from "../../../mixins/tenancy.ts";
import { refusalOf } from "../kuma/failure.ts";
import { UptimeMonitor, type UptimeMonitorRow } from "../models.ts";
import type { Calls } from "../sessions/asking.ts";
import { requireReachable, storedInstance } from "../sessions/stored-instance.ts";
import { monitorFilters, monitorQuery, monitorSorts, monitors } from "./monitor-rows.ts";
import { UptimeLink, UptimeMonitorCreate, UptimeMonitorRead, UptimeMonitorUpdate } from "./monitor-schemas.ts";
import { changeMonitor, linkMonitor, lockedAs, makeMonitor, removeMonitor } from "./monitor-writes.ts";
import { hasFailed, type Pushed, pushMonitor, readWriting, storeFailure, storePushed } from "./pushing.ts";
import { requireNoChildren } from "./references.ts";
import { changeThere, noteSwitched, reachable, stillThere, switchThere } from "./switching.ts";
import { visibleRow } from "./visible-row.ts";

/** Errors of every call to the server. */
const REACHING = [
  "validation_error errors.uptime_linked_instance",
  "validation_error errors.uptime_instance_inactive",
  "validation_error errors.uptime_not_enrolled",
  "upstream errors.uptime_failed",
] as const;

const callsOf =
  (ctx: Context<unknown, Meta>): Calls =>
  <T>(name: string, parameters: Record<string, unknown>) =>
    ctx.call<T, Record<string, unknown>>(name, parameters);

/** The visible monitor, checked against `If-Match`; `version` is null without the header. @throws 404, 412 */
async function compared(id: string): Promise<{ row: UptimeMonitorRow; version: number | null }> {
  const row = await visibleRow(id);
  requireMatch(row.version);
  return { row, version: request().ifMatch === null ? null : row.version };
}

/** Writes a monitor to its server while the caller waits. @throws 502 after it stores the failure on the monitor */
async function pushNow(ctx: Context<unknown, Meta>, id: string, isRepeated: boolean, repairs = false): Promise<Pushed | null> {
  const writing = await readWriting(id, isRepeated);
  if (!writing) return null;
  const pushed = await pushMonitor(callsOf(ctx), writing, repairs);
  if (!hasFailed(pushed)) return pushed;
  await storeOutsideResult(async () => storeFailure(id, pushed));
  throw refusalOf(pushed);
}

/** The actions that pause and resume. */
const switching = (verb: "pause" | "resume") => {
  const isActive = verb === "resume";
  return action({
    rest: `POST /uptime/monitors/:monitor_id/${verb}`,
    summary: isActive ? "Resume a monitor at its server" : "Pause a monitor at its server",
    description: isActive
      ? "Its heartbeats count for its website again."
      : "A paused monitor does not count for its website. Pausing a monitor at the server is not drift.",
    permission: "uptime.monitor.pause",
    returns: UptimeMonitorRead,
    status: 200,
    conditional: true,
    errors: ["validation_error errors.uptime_not_pushed", ...REACHING],
    acts: "outside",
    async prepare(ctx) {
      const { row } = await compared(ctx.params.monitor_id);
      await switchThere(callsOf(ctx), await reachable(row), isActive);
    },
    async handler(ctx) {
      const id = ctx.params.monitor_id;
      noteSwitched(await stillThere(id), isActive);
      return monitors.answerWith(id);
    },
  });
};

/** The monitors of an organisation (workspace-reporting §5, "Monitor"). */
export default resource("uptime.monitors", {
  model: UptimeMonitor,
  actions: {
    list: action({
      rest: "GET /uptime/monitors",
      summary: "List monitors",
      description: "As last read; no server is called. `q` searches names and targets.",
      permission: "uptime.monitor.read",
      query: { ...listQuery(monitorSorts), ...monitorQuery },
      returns: page(UptimeMonitorRead),
      tool: {
        name: "find_monitor",
        description: "Monitors of websites with their state as last read; `status` selects those that are down.",
        inArea: true,
        takes: ["q", "company_id", "status", "limit", "offset"],
      },
      handler: ({ params: { limit, offset, sort, count, updated_since, ...filters } }) =>
        monitors.page({ limit, offset, sort, count, updated_since }, monitorFilters(filters)),
    }),

    get: action({
      rest: "GET /uptime/monitors/:monitor_id",
      summary: "Read one monitor",
      permission: "uptime.monitor.read",
      returns: UptimeMonitorRead,
      handler: (ctx) => monitors.one(ctx.params.monitor_id),
    }),

    create: action({
      rest: "POST /uptime/monitors",
      summary: "Add a monitor, here and at its server",
      description:
        "Stores the row first. If the server then refuses it or does not answer, the row stays with `sync_status` `error`, and `POST …/push` retries. On a linked server, which is never written to, it names the number of an existing monitor.",
      permission: "uptime.monitor.write",
      body: UptimeMonitorCreate,
      returns: UptimeMonitorRead,
      errors: [
        "not_found",
        "conflict",
        "validation errors.uptime_link_incomplete",
        "validation_error errors.uptime_not_pushed",
        ...REACHING,
      ],
      acts: "outside",
      async prepare(ctx) {
        const id = request().workId as string;
        const pushes = await inOwnTransaction(() => makeMonitor(id, ctx.params.body));
        return { id, pushed: pushes ? await pushNow(ctx, id, request().mayHaveActed === true) : null };
      },
      handler() {
        const { id, pushed } = prepared<{ id: string; pushed: Pushed | null }>();
        if (pushed) storePushed(pushed);
        return monitors.answerWith(id);
      },
    }),

    update: action({
      rest: "PATCH /uptime/monitors/:monitor_id",
      summary: "Change a monitor, here and at its server",
      description:
        "Omitted fields stay unchanged. The service reads the server's monitor, replaces the changed fields and sends everything else back unchanged. Client and profile exist only here.",
      permission: "uptime.monitor.write",
      body: UptimeMonitorUpdate,
      returns: UptimeMonitorRead,
      errors: [
        "not_found",
        "conflict errors.uptime_group_has_children",
        "validation_error errors.uptime_not_pushed",
        ...REACHING,
      ],
      acts: "outside",
      async prepare(ctx) {
        const { monitor_id: id, body } = ctx.params;
        const { version } = await compared(id);
        const pushes = await inOwnTransaction(async () => changeMonitor(await lockedAs(id, version), body));
        return pushes ? pushNow(ctx, id, true) : null;
      },
      handler(ctx) {
        const pushed = prepared<Pushed | null>();
        if (pushed) storePushed(pushed);
        return monitors.answerWith(ctx.params.monitor_id);
      },
    }),

    push: action({
      rest: "POST /uptime/monitors/:monitor_id/push",
      summary: "Write a monitor to its server again",
      description:
        "Creates the monitor if it was never created at the server, and writes drifted and unsent changes. Finds a monitor that an earlier attempt created by its name and target, or those it had before.",
      permission: "uptime.monitor.write",
      returns: UptimeMonitorRead,
      status: 200,
      conditional: true,
      errors: REACHING,
      acts: "outside",
      async prepare(ctx) {
        const { row } = await compared(ctx.params.monitor_id);
        requireReachable(await storedInstance(row.instance_id));
        return pushNow(ctx, row.id, true, true);
      },
      handler(ctx) {
        const pushed = prepared<Pushed | null>();
        if (pushed) storePushed(pushed);
        return monitors.answerWith(ctx.params.monitor_id);
      },
    }),

    remove: action({
      rest: "DELETE /uptime/monitors/:monitor_id",
      summary: "Stop tracking a monitor, and with `at_remote=true` remove it at its server",
      description: "Without `at_remote` it changes nothing at the server, and later syncs ignore the monitor.",
      permission: "uptime.monitor.write",
      query: { at_remote: optional({ ...flag(false), description: "True removes it at the server too" }) },
      errors: ["conflict errors.uptime_group_has_children", ...REACHING],
      acts: "outside",
      async prepare(ctx) {
        const { row } = await compared(ctx.params.monitor_id);
        await requireNoChildren(row.id);
        const isRemoved = ctx.params.at_remote === true && row.remote_id !== null;
        if (ctx.params.at_remote && row.remote_id === null) requireReachable(await storedInstance(row.instance_id));
        if (isRemoved) {
          const located = await reachable(row);
          await changeThere(callsOf(ctx), located, { remove: { remoteId: located.remoteId } });
        }
        return isRemoved;
      },
      async handler(ctx) {
        await removeMonitor(await stillThere(ctx.params.monitor_id), prepared<boolean>());
      },
    }),

    pause: switching("pause"),
    resume: switching("resume"),

    link: action({
      rest: "PUT /uptime/monitors/:monitor_id/link",
      summary: "Link a monitor to the website, domain or hosting it monitors",
      description:
        "Both fields, or null in both to detach it. The client follows, unless another was set. Does not call the server.",
      permission: "uptime.monitor.write",
      body: UptimeLink,
      returns: UptimeMonitorRead,
      errors: ["not_found", "validation errors.uptime_link_incomplete"],
      async handler(ctx) {
        const id = ctx.params.monitor_id;
        await linkMonitor(await monitors.forWrite(id), ctx.params.body);
        return monitors.answerWith(id);
      },
    }),
  },
  jobs: {
    "uptime.push": job<{ monitor_id: string }>({
      about: "Writes a monitor to its server after an unfinished request",
      module: "uptime",
      timeout: 120_000,
      async handler(run) {
        const id = run.payload.monitor_id;
        const writing = await run.read(() => readWriting(id, true));
        if (writing?.monitor.sync_status !== "pending") return;
        const pushed = await pushMonitor((name, parameters) => run.call(name, parameters), writing);
        await run.write(async () => (hasFailed(pushed) ? storeFailure(id, pushed) : storePushed(pushed)));
      },
    }),
  },
});
