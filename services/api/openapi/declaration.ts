import type { Action } from "../../../core/declare/action.ts";

/** What the live registry carries per action: plain JSON, for the registry copies declarations and TypeBox's marks are in no copy. */
export interface Declaration extends Omit<Action, "handler"> {
  /** Name in the registry, such as `companies.list`. */
  name: string;
}

/** An action of the registry as it may be stored and compared: without its handler, and plain JSON. */
export function describeAction({ handler, ...declared }: Action & { name: string }): Declaration {
  return JSON.parse(JSON.stringify(declared));
}
