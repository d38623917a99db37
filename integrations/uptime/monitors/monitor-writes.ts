import { isDeepStrictEqual } from "node:util";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { invalid, refusal } from "../../../core/errors/errors.ts";
import { schedule } from "../../../core/jobs/jobs.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { type MonitorIdentity, OWNED_FIELDS, type OwnedField } from "../kuma/remote-monitor.ts";
import { UptimeMonitor, type UptimeMonitorRow, type UptimeProfileRow } from "../models.ts";
import { requireReachable, storedInstance } from "../sessions/stored-instance.ts";
import { hostNames } from "./host-names.ts";
import { monitors } from "./monitor-rows.ts";
import type { UptimeLink, UptimeMonitorCreate, UptimeMonitorUpdate } from "./monitor-schemas.ts";
import { anchored, requireCompany, requireNoChildren, requireParent, requireProfile } from "./references.ts";
import { type PartialSettings, SETTING_NAMES, type Settings } from "./settings.ts";
import { wantedOf } from "./wanted.ts";
import { readWatched, type Watched } from "./watched.ts";

export const KIND = "uptime_monitor";
/** Milliseconds before a job checks that a change reached the server, because the node of its request may have died. */
const LOOKED_AFTER = 120_000;

const THERE = statement("select 1 from uptime_monitors where organisation_id = $1 and id = $2");
const UNTRACK = statement(`insert into uptime_untracked (organisation_id, instance_id, remote_id) values ($1, $2, $3)
  on conflict do nothing`);
const TRACK = statement("delete from uptime_untracked where organisation_id = $1 and instance_id = $2 and remote_id = $3");

/** Schedules a job that writes a monitor to its server if the request fails to. */
export const pushLater = (id: string, after = LOOKED_AFTER): string =>
  schedule("uptime.push", { monitor_id: id }, { runAt: new Date(Date.now() + after), dedupe: id });

/** A trimmed name. @throws 422 for a blank one */
function nameOf(typed: string): string {
  const name = typed.trim();
  if (name === "") throw invalid({ name: "errors.required" });
  return name;
}

/**
 * Inserts a monitor in the running transaction; a repeated call with the same id inserts nothing.
 * @returns whether to write it to its server
 * @throws 404, 409, 422
 */
export async function makeMonitor(id: string, body: Static<typeof UptimeMonitorCreate>): Promise<boolean> {
  const instance = await storedInstance(body.instance_id);
  const isManaged = instance.mode === "managed";
  if (await queryOne(THERE, [request().organisation.id, id])) return isManaged;
  if (isManaged) requireReachable(instance);
  const remote_id = body.remote_id ?? null;
  if (isManaged !== (remote_id === null)) throw invalid({ remote_id: isManaged ? "errors.validation" : "errors.required" });
  const { monitor_type = "http", target = null, port = null, entity_type, entity_id, company_id } = body;
  const watched = readWatched({ monitor_type, target, port });
  const [parent, , anchor] = await Promise.all([
    requireParent(body.parent_id, instance.id),
    requireProfile(body.profile_id),
    anchored(entity_type, entity_id),
    requireCompany(company_id),
  ]);
  queueInsert(UptimeMonitor, {
    id,
    instance_id: instance.id,
    remote_id,
    name: nameOf(body.name),
    ...watched,
    ...anchor,
    interval_seconds: body.interval_seconds ?? null,
    retries: body.retries ?? null,
    parent_id: parent?.id ?? null,
    profile_id: body.profile_id ?? null,
    company_id: company_id ?? null,
    company_given: Boolean(company_id),
    host_names: hostNames(watched.target),
    sync_status: isManaged ? "pending" : "active",
    adopted: !isManaged,
  });
  if (remote_id !== null) enqueue(TRACK, [request().organisation.id, instance.id, remote_id]);
  trail(KIND, id, "created");
  if (isManaged) pushLater(id);
  return isManaged;
}

/** The values to store for a change. @throws 404, 409, 422 */
async function changedValues(before: UptimeMonitorRow, body: Static<typeof UptimeMonitorUpdate>) {
  const { name, monitor_type, target, port, interval_seconds, retries, parent_id, profile_id, company_id } = body;
  const isWatched = monitor_type !== undefined || target !== undefined || port !== undefined;
  const watched: Partial<Watched> = isWatched
    ? readWatched({
        monitor_type: monitor_type ?? before.monitor_type,
        target: target === undefined ? before.target : target,
        port: port === undefined ? before.port : port,
      })
    : {};
  if (monitor_type !== undefined && monitor_type !== before.monitor_type) await requireNoChildren(before.id);
  await Promise.all([requireParent(parent_id, before.instance_id, before), requireCompany(company_id)]);
  return {
    ...(name !== undefined && { name: nameOf(name) }),
    ...watched,
    ...(watched.target !== undefined && { host_names: hostNames(watched.target) }),
    interval_seconds,
    retries,
    parent_id,
    profile_id,
    ...(company_id !== undefined && { company_id, company_given: true }),
  };
}

/**
 * Changes a locked monitor and records it in the trail; missing values stay unchanged.
 * @returns whether to write something to its server
 * @throws 404, 409, 422
 */
export async function changeMonitor(before: UptimeMonitorRow, body: Static<typeof UptimeMonitorUpdate>): Promise<boolean> {
  const values = await changedValues(before, body);
  const profile = await requireProfile(values.profile_id === undefined ? before.profile_id : values.profile_id);
  const changed = differences(before, values);
  if (!changed) return false;
  const instance = await storedInstance(before.instance_id);
  const was = before.profile_id === profile?.id ? profile : await requireProfile(before.profile_id);
  const after = { ...before, ...changed } as UptimeMonitorRow;
  const fields = [
    ...fieldsBetween(wantedOf(before, was, null), wantedOf(after, profile, null)),
    ...(before.adopted ? requestedSettings(changed, after, profile) : []),
  ];
  if (changed.parent_id !== undefined) fields.push("parent");
  const pushes = instance.mode === "managed" && fields.length > 0;
  if (pushes) requireReachable(instance);
  const unpushed = [...new Set([...before.unpushed, ...fields])];
  const former = before.remote_id === null ? identitiesBefore(before, after) : undefined;
  queueUpdate(UptimeMonitor, before.id, { ...changed, ...(pushes && { unpushed, former, sync_status: "pending" as const }) });
  const changes = changesOf(UptimeMonitor.tracked, before, changed);
  if (Object.keys(changes).length > 0) trail(KIND, before.id, "updated", { changes });
  if (pushes) pushLater(before.id);
  return pushes;
}

/** The names, types and targets under which an unanswered attempt may have created a monitor, the newest first, without its present ones. */
function identitiesBefore(before: UptimeMonitorRow, after: UptimeMonitorRow): MonitorIdentity[] {
  const identityOf = ({ name, monitor_type, target }: MonitorIdentity) => ({ name, monitor_type, target });
  const isAfter = (identity: MonitorIdentity) => isDeepStrictEqual(identity, identityOf(after));
  return [identityOf(before), ...before.former].filter((identity) => !isAfter(identity));
}

/** The owned fields that differ between two wanted states, except the group. */
export const fieldsBetween = (before: ReturnType<typeof wantedOf>, after: ReturnType<typeof wantedOf>): OwnedField[] =>
  OWNED_FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));

/**
 * The settings that a change of an adopted monitor requests, even where the wanted state stays the same: its server can have a value outside
 * our limits, or one that differs from the built-in value.
 * @param profile of the monitor after the change; null without one
 */
function requestedSettings(
  changed: Partial<UptimeMonitorRow>,
  after: UptimeMonitorRow,
  profile: UptimeProfileRow | null,
): OwnedField[] {
  const sent = (["interval_seconds", "retries"] as const).filter((field) => changed[field] !== undefined);
  return changed.profile_id === undefined || profile === null ? sent : [...sent, ...settingsFrom(profile, after)];
}

/** The settings that a profile sets for a monitor, which does not have its own. */
export const settingsFrom = (profile: UptimeProfileRow, monitor: UptimeMonitorRow): (keyof Settings)[] => {
  const own: PartialSettings = { interval_seconds: monitor.interval_seconds, retries: monitor.retries };
  return SETTING_NAMES.filter((name) => profile[name] !== null && (own[name] ?? null) === null);
};

/** Links a locked monitor to a record, or unlinks it. @throws 404, 422 */
export async function linkMonitor(before: UptimeMonitorRow, link: Static<typeof UptimeLink>): Promise<void> {
  const changed = differences(before, await anchored(link.entity_type, link.entity_id));
  if (!changed) return;
  queueUpdate(UptimeMonitor, before.id, changed);
  trail(KIND, before.id, "updated", { changes: changesOf(UptimeMonitor.tracked, before, changed) });
}

/** Stops tracking a locked monitor. Later syncs skip it, unless it no longer exists at its server. @throws 409 for a group with children */
export async function removeMonitor(before: UptimeMonitorRow, isGoneAtServer: boolean): Promise<void> {
  await requireNoChildren(before.id);
  const { id, instance_id, remote_id, name } = before;
  if (remote_id !== null && !isGoneAtServer) enqueue(UNTRACK, [request().organisation.id, instance_id, remote_id]);
  queueRemove(UptimeMonitor, id);
  trail(KIND, id, "deleted", { name });
}

/** Locks the monitor in the version that the caller saw. @throws 404, 412 if it changed since the `If-Match` check */
export async function lockedAs(id: string, version: number | null): Promise<UptimeMonitorRow> {
  const row = await monitors.forWrite(id);
  if (version !== null && row.version !== version) throw refusal("precondition_failed");
  return row;
}
