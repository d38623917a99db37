import type { PlainFailure } from "../kuma/failure.ts";
import type { Beat } from "../kuma/heartbeat.ts";
import type { RemoteMonitor } from "../kuma/remote-monitor.ts";
import type { Change, Performed } from "./performing.ts";

/** How an actor or a job calls an action. */
export type Calls = <T>(action: string, parameters: Record<string, unknown>) => Promise<T>;

const READ = "uptime.sessions.read";

/** All monitors of a server, or the failure. */
export const listAt = (call: Calls, instanceId: string): Promise<Performed<RemoteMonitor[]>> =>
  call(READ, { instance_id: instanceId, reading: "list" });

/** The newest heartbeat of every monitor of a server, or the failure. */
export const beatsAt = (call: Calls, instanceId: string): Promise<Performed<Beat[]>> =>
  call(READ, { instance_id: instanceId, reading: "beats" });

/** Changes something at a server; a push returns the id of its monitor. */
export const changeAt = (call: Calls, instanceId: string, change: Change): Promise<Performed<number | null>> =>
  call("uptime.sessions.write", { instance_id: instanceId, change });

export const isFailure = <T>(performed: Performed<T>): performed is { failure: PlainFailure } => "failure" in performed;
