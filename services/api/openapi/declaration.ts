import type { Action } from "../../../core/declare/action.ts";

/** An action in the live registry, as plain JSON: the registry copies declarations, and TypeBox's symbols do not survive that. */
export interface Declaration extends Omit<Action, "handler"> {
  /** Name in the registry, such as `companies.list`. */
  name: string;
}

/** An action as plain JSON without its handler, to store and compare. */
export function describeAction({ handler, ...declared }: Action & { name: string }): Declaration {
  return JSON.parse(JSON.stringify(declared));
}
