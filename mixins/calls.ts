import type { ServiceBroker } from "moleculer";
import type { Action } from "../core/declare/action.ts";
import { actOutside } from "../core/request/acts.ts";
import { currentRequest } from "../core/request/context.ts";

/** How the broker sends a call. */
export type Send = (name: string, params?: unknown, options?: { meta?: object }) => Promise<unknown>;

/**
 * Calls of actions as a request may make them. An open transaction holds locks and ends at this node; another actor could neither see nor
 * share it. Who has an action called that acts outside acts itself.
 */
export function callsOf(broker: () => ServiceBroker | undefined, send: Send): Send {
  const acts = (name: string): boolean => {
    const found = broker()?.registry.actions.get(name) as { endpoints: { action: Partial<Action> }[] } | undefined;
    return found?.endpoints.some(({ action }) => action.acts === "outside") ?? false;
  };
  // What `send` gives carries the context of the call, so that it goes back as it is.
  return (name, params, options) => {
    const running = currentRequest();
    if (!running) return send(name, params, options);
    if (running.mode === "write" && running.transaction)
      return Promise.reject(new Error(`'${name}' was called inside an open write transaction`));
    const marked = () =>
      send(name, params, running.outside.begun ? { ...options, meta: { ...options?.meta, acted: true } } : options);
    return acts(name) ? actOutside(name).then(marked) : marked();
  };
}
