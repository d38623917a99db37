import type { Service, ServiceSchema } from "moleculer";
import type { Action } from "../core/declare/action.ts";
import type { Meta } from "../core/declare/principal.ts";
import type { RequestStore } from "../core/request/context.ts";

/** A call of an action on its node, as the wrappers see it (mixins/request/request-steps.ts). */
export interface ServedRequest {
  readonly meta: Meta;
  /** Begins a run: a request that loses a race has several. */
  begin(): RequestStore;
  /** The steps of a run inside the wrappers, with the handler. */
  run(): Promise<unknown>;
}

/** Serves a call of an action. It may throw at once. */
export type Serve = (request: ServedRequest) => Promise<unknown>;

/** An action to wrap, with its full name. */
export interface WrappedAction {
  name: string;
  action: Action;
  /** See `undeclarable`. */
  standIns: readonly string[];
}

/** Wraps one action when its service is created; a wrapper without a check for it returns `next`. */
export type Wrap = (next: Serve, wrapped: WrappedAction) => Serve;

/** The wrappers of every action that has an organisation, from the outermost. */
const WRAPPERS = ["tenancy", "permission", "licence"] as const;
type WrapperName = (typeof WRAPPERS)[number];

const wrappers = new WeakMap<Service, readonly { name: WrapperName; wrap: Wrap }[]>();

/**
 * A mixin that wraps every action of the services that name it. The middleware of requests applies the wrappers, because those that
 * Moleculer merges into a handler are inside the time limit of a call: a transaction would commit after its request had timed out.
 */
export const wrapper = (name: WrapperName, wrap: Wrap): Partial<ServiceSchema> => {
  const mixin = {
    // Moleculer merges the last mixin first.
    merged(this: Service) {
      wrappers.set(this, [{ name, wrap }, ...(wrappers.get(this) ?? [])]);
    },
  };
  return mixin as Partial<ServiceSchema>;
};

/**
 * Wraps an action in the mixins of its service.
 * @throws TypeError for a service that does not name them all, in their order, which prevents its start
 */
export function wrapped(service: Service, serve: Serve, action: WrappedAction): Serve {
  const named = wrappers.get(service) ?? [];
  const names = named.map(({ name }) => name);
  if (names.join() !== WRAPPERS.join()) {
    const missing = WRAPPERS.filter((name) => !names.includes(name));
    const fault = missing.length > 0 ? `does not name ${missing.join(", ")}` : `names ${names.join(", ")}`;
    throw new TypeError(`${action.name} needs the mixins ${WRAPPERS.join(", ")}, in this order; its service ${fault}`);
  }
  return named.reduceRight((next, { wrap }) => wrap(next, action), serve);
}
