import { ServiceBroker } from "moleculer";

/** Seconds without a heartbeat after which a node of a test's cluster counts as gone: on a busy machine a process waits for its turn. */
const PATIENCE = 120;

interface Discovering {
  registry: { discoverer: { opts: { heartbeatTimeout: number } } };
}

let isPatient = false;

/** Makes the nodes of this process wait longer for the heartbeats of others. */
export function bePatient(): void {
  if (isPatient) return;
  isPatient = true;
  const { start } = ServiceBroker.prototype;
  ServiceBroker.prototype.start = function (this: ServiceBroker) {
    (this as unknown as Discovering).registry.discoverer.opts.heartbeatTimeout = PATIENCE;
    return start.call(this);
  };
}
