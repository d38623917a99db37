import type { ServiceBroker } from "moleculer";
import type { Action } from "../core/declare/action.ts";
import type { Meta } from "../core/declare/principal.ts";
import { actOutside } from "../core/outbound/acts.ts";
import { currentRequest } from "../core/request/context.ts";

const HAS_ACTED: Pick<Meta, "hasActed"> = { hasActed: true };

/** Sends a call through the broker. */
export type Send = (name: string, params?: unknown, options?: { meta?: object }) => Promise<unknown>;

/**
 * Action calls as a request is allowed to make them. An open write transaction rejects calls: it holds locks and exists on this node only,
 * so another actor could neither see nor share it. A caller of an action that acts externally counts as acting itself.
 */
export function callsOf(broker: () => ServiceBroker | undefined, send: Send): Send {
  const acts = (name: string): boolean => {
    const found = broker()?.registry.actions.get(name) as { endpoints: { action: Partial<Action> }[] } | undefined;
    return found?.endpoints.some(({ action }) => action.acts === "outside") ?? false;
  };
  // The promise of `send` carries the call's context, so it is returned unchanged.
  return (name, params, options) => {
    const running = currentRequest();
    if (!running) return send(name, params, options);
    if (running.mode === "write" && running.transaction)
      return Promise.reject(new Error(`'${name}' was called inside an open write transaction`));
    const marked = () =>
      send(name, params, running.outside.begun ? { ...options, meta: { ...options?.meta, ...HAS_ACTED } } : options);
    return acts(name) ? actOutside(name).then(marked) : marked();
  };
}
