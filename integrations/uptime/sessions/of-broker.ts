import type { ServiceBroker } from "moleculer";
import { Sessions } from "./sessions.ts";

const nodes = new WeakMap<ServiceBroker, Sessions>();

/** The sessions of a broker's node. */
export function sessionsOf(broker: ServiceBroker): Sessions {
  let known = nodes.get(broker);
  if (!known) nodes.set(broker, (known = new Sessions(broker.nodeID)));
  return known;
}

/** Ends the sessions of a node, if it ever had any. */
export async function closeSessions(broker: ServiceBroker): Promise<void> {
  await nodes.get(broker)?.stop();
}
